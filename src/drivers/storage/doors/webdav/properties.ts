/** PROPFIND and PROPPATCH: what is known of files, and what clients note about them. */
import { send } from '../drained.ts'
import type { DirectoryEntry, FileInfo } from '../files.ts'
import { type BoxRoom, roomOf } from '../room.ts'
import { type BoxProperties, type Properties, propertiesAt } from './dead-properties.ts'
import type { Lock } from './locks.ts'
import { answer, type Call, checkLocks, etagOf, header, hrefOf, inBox, Refusal } from './request.ts'
import { isUnfinished } from './unfinished.ts'
import { BadXml, type Element, escaped, parseXml, written } from './xml.ts'

/** In bytes. Clients ask for some properties or note a few; all of it is read at once, while others wait. */
export const longestBody = 32 * 1024

/** Clients ask for a dozen properties. Those that a file does not have are written for it as well. */
const mostAsked = 100

/** The body as an element; an empty text when there is none. Errors: `Refusal`. */
export async function readBody({ request }: Call): Promise<Element | ''> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > longestBody) throw new Refusal(413, 'the body is too long')
    chunks.push(chunk)
  }
  if (length === 0) return ''
  if (request.method === 'MKCOL') throw new Refusal(415, 'a folder is made without a body')
  try {
    return parseXml(
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    )
  } catch (error) {
    if (error instanceof BadXml) throw new Refusal(400, error.message)
    throw error
  }
}

export function lockDiscovery(locks: readonly Lock[]): string {
  const active = locks.map(
    ({ isShared, isDeep, owner, seconds, token, path }) =>
      `<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope><D:${isShared ? 'shared' : 'exclusive'}/></D:lockscope>` +
      `<D:depth>${isDeep ? 'infinity' : '0'}</D:depth>${owner}<D:timeout>Second-${seconds}</D:timeout>` +
      `<D:locktoken><D:href>${token}</D:href></D:locktoken><D:lockroot><D:href>${escaped(hrefOf(path, false))}</D:href></D:lockroot></D:activelock>`,
  )
  return `<D:lockdiscovery>${active.join('')}</D:lockdiscovery>`
}

const supportedLocks =
  '<D:supportedlock><D:lockentry><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry>' +
  '<D:lockentry><D:lockscope><D:shared/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockentry></D:supportedlock>'

const keyOf = ({ namespace, name }: Pick<Element, 'namespace' | 'name'>) => `{${namespace}}${name}`

/** A file that is described. */
interface Described {
  readonly call: Call
  readonly path: string
  readonly info: FileInfo
  readonly room: BoxRoom | undefined
}

/** What the server knows of a file, as elements. Times are those of the last change; nobody knows when it was made. */
const live: Readonly<Record<string, (file: Described) => string>> = {
  resourcetype: ({ info }) =>
    info.kind === 'directory' ? '<D:resourcetype><D:collection/></D:resourcetype>' : '<D:resourcetype/>',
  getlastmodified: ({ info }) =>
    `<D:getlastmodified>${new Date(info.modified * 1000).toUTCString()}</D:getlastmodified>`,
  creationdate: ({ info }) => `<D:creationdate>${new Date(info.modified * 1000).toISOString()}</D:creationdate>`,
  displayname: ({ path }) => `<D:displayname>${escaped(path.split('/').pop() ?? '')}</D:displayname>`,
  supportedlock: () => supportedLocks,
  lockdiscovery: ({ call, path }) => lockDiscovery(call.locks.on(inBox(call, path))),
  getetag: ({ info }) => `<D:getetag>${escaped(etagOf(info))}</D:getetag>`,
  getcontentlength: ({ info }) => `<D:getcontentlength>${info.size}</D:getcontentlength>`,
  getcontenttype: () => '<D:getcontenttype>application/octet-stream</D:getcontenttype>',
  'quota-available-bytes': ({ room }) => `<D:quota-available-bytes>${room?.free}</D:quota-available-bytes>`,
  'quota-used-bytes': ({ room }) => `<D:quota-used-bytes>${room?.used}</D:quota-used-bytes>`,
}

const isQuota = (name: string) => name.startsWith('quota-')
const isOfFiles = (name: string) => name.startsWith('getcontent')

/** Says how a file has each property of the server that it has: nothing is computed that nobody asks for. */
function liveProperties(file: Described): Map<string, () => string> {
  const names = Object.entries(live).filter(
    ([name]) => (file.room || !isQuota(name)) && (file.info.kind !== 'directory' || !isOfFiles(name)),
  )
  return new Map(names.map(([name, text]) => [`{DAV:}${name}`, () => text(file)]))
}

/** A property that is asked for, and how it is written where a file does not have it. */
interface AskedProperty {
  readonly key: string
  readonly empty: string
}

type RequestedProperties = 'all' | 'names' | readonly AskedProperty[]

/** Each property once. Errors: `Refusal` for more than clients ask for. */
function each(elements: readonly Element[]): AskedProperty[] {
  const keys = [...new Set(elements.map(keyOf))]
  if (keys.length > mostAsked) throw new Refusal(400, `more than ${mostAsked} properties cannot be asked for`)
  return keys.map((key) => ({ key, empty: emptied(key) }))
}

function askedIn(body: Element | ''): RequestedProperties {
  if (body === '') return 'all'
  if (body.name !== 'propfind' || body.namespace !== 'DAV:') throw new Refusal(400, 'this is no PROPFIND')
  const [way] = body.children.filter(({ namespace }) => namespace === 'DAV:')
  if (way?.name === 'propname') return 'names'
  if (way?.name === 'prop') return each(way.children)
  if (way?.name === 'allprop') return 'all'
  throw new Refusal(400, 'this is no PROPFIND')
}

const emptied = (key: string) => {
  const [, namespace = '', name = ''] = /^\{(.*)\}(.*)$/s.exec(key) ?? []
  return written({ namespace, name, children: [], text: '' })
}

const status = (code: string, properties: string) =>
  `<D:propstat><D:prop>${properties}</D:prop><D:status>HTTP/1.1 ${code}</D:status></D:propstat>`

/** What a request wants to know of each file. */
interface WantedProperties {
  readonly call: Call
  readonly asked: RequestedProperties
  readonly room: BoxRoom | undefined
  readonly dead: BoxProperties
}

function describe({ call, asked, room, dead }: WantedProperties, path: string, info: FileInfo): string {
  const noted = Object.entries(propertiesAt(dead, inBox(call, path)))
  const known = new Map([
    ...liveProperties({ call, path, info, room }),
    ...noted.map(([key, text]) => [key, () => text] as const),
  ])
  const href = `<D:href>${escaped(hrefOf(path, info.kind === 'directory'))}</D:href>`
  let stats: string
  if (asked === 'names') stats = status('200 OK', [...known.keys()].map(emptied).join(''))
  else if (asked === 'all') {
    const shown = [...known].filter(([key]) => !key.startsWith('{DAV:}quota-'))
    stats = status('200 OK', shown.map(([, text]) => text()).join(''))
  } else {
    const found = asked.flatMap(({ key }) => known.get(key)?.() ?? [])
    const missing = asked.flatMap(({ key, empty }) => (known.has(key) ? [] : empty))
    stats = found.length > 0 || missing.length === 0 ? status('200 OK', found.join('')) : ''
    if (missing.length > 0) stats += status('404 Not Found', missing.join(''))
  }
  return `<D:response>${href}${stats}</D:response>`
}

const opening = '<?xml version="1.0" encoding="utf-8"?>\n<D:multistatus xmlns:D="DAV:">'
/** So many characters of a list are sent at a time. */
const together = 64 * 1024
const xml = { 'Content-Type': 'application/xml; charset=utf-8' }

/** Nobody asks how full a box is when nobody wants to know. */
async function roomFor({ account, files }: Call, asked: RequestedProperties): Promise<BoxRoom | undefined> {
  if (typeof asked !== 'string' && !asked.some(({ key }) => key.startsWith('{DAV:}quota-'))) return undefined
  return roomOf(account.place, files)
}

export async function propfind(call: Call): Promise<void> {
  const { files, path, response } = call
  const depth = header(call, 'depth') ?? 'infinity'
  const asked = askedIn(await readBody(call))
  const info = await files.stat(path)
  if (depth !== '0' && depth !== '1') {
    throw new Refusal(403, 'folders are listed one at a time', 'propfind-finite-depth')
  }
  const dead = await call.properties.of(call.account.place.id)
  const wanted: WantedProperties = { call, asked, room: await roomFor(call, asked), dead }
  let text = opening + describe(wanted, path, info)
  if (depth === '1' && info.kind === 'directory') {
    // Who may not list it is told so: nothing is answered before it is open.
    for await (const entries of files.list(path)) {
      for (const entry of entries) {
        if (isUnfinished(entry.name)) continue
        text += await describeEntry(wanted, entry)
        if (text.length < together) continue
        if (!response.headersSent) response.writeHead(207, xml)
        if (!(await send(response, text))) return
        text = ''
      }
    }
  }
  if (!response.headersSent) response.writeHead(207, xml)
  response.end(`${text}</D:multistatus>`)
}

/** Describes what is in a folder. The target of a link is shown in its place; a link that leads nowhere is not. */
async function describeEntry(wanted: WantedProperties, entry: DirectoryEntry): Promise<string> {
  const { path: folder, files } = wanted.call
  const path = `${folder === '/' ? '' : folder}/${entry.name}`
  const info = entry.kind === 'link' ? await files.find(path) : entry
  return info ? describe(wanted, path, info) : ''
}

/** Properties that the server answers for. */
const fixed =
  /^\{DAV:\}(resourcetype|getcontentlength|getetag|supportedlock|lockdiscovery|creationdate|quota-.*|getcontenttype)$/

export async function proppatch(call: Call): Promise<void> {
  const { files, path, account, properties } = call
  const body = await readBody(call)
  if (body === '' || body.name !== 'propertyupdate') throw new Refusal(400, 'this is no PROPPATCH')
  const info = await files.stat(path)
  await checkLocks(call, [path])
  if (account.state.isReadonly) throw new Refusal(403, 'this account changes nothing')
  const changes = body.children.flatMap((change) =>
    change.children.flatMap((prop) => prop.children.map((element) => ({ isSet: change.name === 'set', element }))),
  )
  const refused = changes.filter(({ element }) => fixed.test(keyOf(element)))
  let modified: number | undefined
  const change = (before: Properties) => {
    const after: Record<string, string> = { ...before }
    for (const { isSet, element } of changes) {
      const key = keyOf(element)
      if (key === '{DAV:}getlastmodified') modified = Date.parse(element.text) / 1000
      else if (isSet) after[key] = written(element)
      else delete after[key]
    }
    return after
  }
  const isDone = refused.length === 0 && (await properties.set(account.place.id, inBox(call, path), change))
  if (isDone && modified !== undefined && modified > 0) await files.setTimes(path, modified, modified)
  const stats = changes.map(({ element }) => {
    const key = keyOf(element)
    const code = isDone ? '200 OK' : fixed.test(key) ? '403 Forbidden' : '424 Failed Dependency'
    return status(code, emptied(key))
  })
  const href = `<D:href>${escaped(hrefOf(path, info.kind === 'directory'))}</D:href>`
  answer(call, 207, xml, `${opening}<D:response>${href}${stats.join('')}</D:response></D:multistatus>`)
}
