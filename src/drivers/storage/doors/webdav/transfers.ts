/** Methods of WebDAV that carry files: GET, HEAD and PUT. */
import { createHash } from 'node:crypto'
import { send } from '../drained.ts'
import type { FileInfo } from '../files.ts'
import { answer, type Call, checkConditions, checkLocks, etagOf, header, hrefOf, parentOf, Refusal } from './request.ts'
import { isUnfinished, removeTemporary } from './unfinished.ts'
import { escaped } from './xml.ts'

const dateOf = (seconds: number) => new Date(seconds * 1000).toUTCString()

/** The part of a file that is asked for; undefined for all of it. Errors: `Refusal`. */
function rangeOf(call: Call, info: FileInfo): { start: number; end: number } | undefined {
  const condition = header(call, 'if-range')
  if (condition !== undefined && condition !== etagOf(info) && condition !== dateOf(info.modified)) return undefined
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header(call, 'range') ?? '') ?? []
  if (first === undefined || (first === '' && last === '')) return undefined
  const start = first === '' ? Math.max(0, info.size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? info.size : Math.min(info.size, Number(last) + 1)
  if (start < end) return { start, end }
  throw new Refusal(416, `the file has ${info.size} bytes`)
}

export async function get(call: Call): Promise<void> {
  const { files, path, request, response } = call
  const info = await files.stat(path)
  if (info.kind === 'directory') return list(call)
  if (info.kind !== 'file') throw new Refusal(403, 'this is no file')
  checkConditions(call, info)
  const range = rangeOf(call, info)
  const { start, end } = range ?? { start: 0, end: info.size }
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Length': `${end - start}`,
    'Last-Modified': dateOf(info.modified),
    ETag: etagOf(info),
    'Accept-Ranges': 'bytes',
    // A file is never shown as a page of this address.
    'Content-Disposition': 'attachment',
    'X-Content-Type-Options': 'nosniff',
    ...(range ? { 'Content-Range': `bytes ${start}-${end - 1}/${info.size}` } : {}),
  }
  const begin = () => {
    if (!response.headersSent) response.writeHead(range ? 206 : 200, headers)
  }
  if (request.method === 'HEAD') {
    begin()
    response.end()
    return
  }
  let left = end - start
  // Who may not read it is told so: nothing is answered before it is open.
  for await (const bytes of files.read(path, start, end)) {
    begin()
    left -= bytes.length
    if (!(await send(response, bytes))) return
  }
  begin()
  // A client must not take a file that has become shorter for a whole one.
  if (left > 0) response.destroy()
  else response.end()
}

/** Lists a directory for people who open it in a browser: by name, as far as so many entries are read at once. */
async function list(call: Call): Promise<void> {
  const { files, path, request, response } = call
  const type = { 'Content-Type': 'text/html; charset=utf-8' }
  if (request.method === 'HEAD') return answer(call, 200, type)
  let text = `<!doctype html><title>${escaped(path)}</title><ul>`
  for await (const entries of files.pieces(path)) {
    if (!response.headersSent) response.writeHead(200, type)
    const shown = entries.filter(({ name }) => !isUnfinished(name))
    const links = shown.map(({ name, kind }) => {
      const href = hrefOf(`${path === '/' ? '' : path}/${name}`, kind === 'directory')
      return `<li><a href="${escaped(href)}">${escaped(name)}</a></li>`
    })
    if (!(await send(response, text + links.join('')))) return
    text = ''
  }
  response.end('</ul>')
}

/** What is written has another name beside until it is whole and on disk, because no client can ask for that. */
export async function put(call: Call): Promise<void> {
  const { files, path, request } = call
  if (request.headers['content-range'] !== undefined) throw new Refusal(400, 'a part of a file cannot be put')
  const before = await files.find(path)
  checkConditions(call, before)
  if (before !== undefined && before.kind !== 'file') throw new Refusal(405, 'this is no file')
  await checkLocks(call, before ? [path] : [path, parentOf(path)])
  const parent = await files.find(parentOf(path))
  if (parent?.kind !== 'directory') throw new Refusal(409, 'the folder above is missing')
  const temporary = call.unfinished.begin(call.account, parentOf(path))
  try {
    const checksum = await write(call, temporary.path, before?.mode ?? 0o644)
    await files.renameDurably(temporary.path, path)
    temporary.end()
    const info = await files.stat(path)
    const isTimed = header(call, 'x-oc-mtime') !== undefined
    answer(call, before ? 204 : 201, {
      ETag: etagOf(info),
      'OC-ETag': etagOf(info),
      ...(isTimed ? { 'X-OC-Mtime': 'accepted' } : {}),
      ...(checksum ? { 'OC-Checksum': checksum } : {}),
    })
  } catch (error) {
    await removeTemporary(files, temporary)
    throw error
  }
}

/** Writes what the client sends. Returns its checksum when the client said one. */
async function write(call: Call, temporary: string, mode: number): Promise<string | undefined> {
  const { files, request } = call
  const [, algorithm = '', expected = ''] =
    /^(SHA1|MD5|SHA256):([0-9a-f]+)$/i.exec(header(call, 'oc-checksum') ?? '') ?? []
  const hash = algorithm === '' ? undefined : createHash(algorithm.toLowerCase())
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const bytes of request as AsyncIterable<Buffer>) {
      hash?.update(bytes)
      yield bytes
    }
  }
  const length = await files.write(temporary, hashed(), { mode, isNew: true, isSynced: true })
  const announced = request.headers['content-length']
  if (!request.complete || (announced !== undefined && Number(announced) !== length))
    throw new Refusal(400, 'it ends too soon')
  if (hash && hash.digest('hex') !== expected.toLowerCase()) throw new Refusal(400, 'the checksum is another one')
  const time = Number(header(call, 'x-oc-mtime'))
  if (time > 0) await files.setTimes(temporary, time, time)
  return hash ? `${algorithm}:${expected}` : undefined
}
