/** Methods of WebDAV that change where things are: MKCOL, DELETE, COPY, MOVE, and locks. */
import { type FileInfo, isMissing } from '../files.ts'
import { copy } from '../ssh/commands/changes.ts'
import { type Lock, secondsOf } from './locks.ts'
import { lockDiscovery, readBody } from './properties.ts'
import {
  answer,
  type Call,
  checkConditions,
  checkLocks,
  header,
  inBox,
  lockToken,
  parentOf,
  pathOf,
  Refusal,
} from './request.ts'
import { removeTemporary } from './unfinished.ts'
import { written } from './xml.ts'

export async function mkcol(call: Call): Promise<void> {
  const { files, path } = call
  if ((await readBody(call)) !== '') throw new Refusal(415, 'a folder is made without a body')
  if (await files.find(path)) throw new Refusal(405, 'there is something at this path')
  await checkLocks(call, [path, parentOf(path)])
  if ((await files.find(parentOf(path)))?.kind !== 'directory') throw new Refusal(409, 'the folder above is missing')
  await files.mkdirDurably(path)
  answer(call, 201)
}

export async function remove(call: Call): Promise<void> {
  const { files, path, locks, properties, account } = call
  if (path === '/') throw new Refusal(403, 'the home stays')
  await files.lstat(path)
  if (header(call, 'if-match') !== undefined) checkConditions(call, await files.find(path))
  await checkLocks(call, [path, parentOf(path)], false)
  await checkLocks(call, [path], true)
  await files.removeAll(path)
  await files.syncFolder(parentOf(path))
  locks.removeBelow(inBox(call, path))
  await properties.remove(account.place.id, inBox(call, path))
  answer(call, 204)
}

/** Reads where something shall go. Errors: `Refusal`. */
function destinationOf(call: Call): string {
  const text = header(call, 'destination')
  const path = text === undefined ? undefined : pathOf(text)
  if (path === undefined) throw new Refusal(400, 'the Destination header is no address')
  const host = /^https?:\/\/([^/]+)/i.exec(text!)?.[1]
  if (host !== undefined && host !== call.request.headers.host) throw new Refusal(502, 'this is another server')
  return path
}

const isWithin = (path: string, folder: string) => `${path}/`.startsWith(`${folder === '/' ? '' : folder}/`)

/** COPY and MOVE. */
export async function transfer(call: Call): Promise<void> {
  const { files, path, locks, properties, account, request } = call
  const isMove = request.method === 'MOVE'
  const target = destinationOf(call)
  const source = await files.lstat(path)
  if (isWithin(target, path) || (isWithin(path, target) && source.kind === 'directory') || (isMove && path === '/')) {
    throw new Refusal(403, 'something cannot be moved or copied into itself')
  }
  const before = await files.find(target)
  await checkLocks(call, [target, ...(before ? [] : [parentOf(target)]), ...(isMove ? [path, parentOf(path)] : [])])
  await checkLocks(call, [target, ...(isMove ? [path] : [])], true)
  if ((await files.find(parentOf(target)))?.kind !== 'directory') throw new Refusal(409, 'the folder above is missing')
  if (before && header(call, 'overwrite')?.toUpperCase() === 'F') throw new Refusal(412, 'there is something already')
  const isWhole = before === undefined || (before.kind !== 'directory' && source.kind !== 'directory')
  const place = (from: string) => (isWhole ? files.renameDurably(from, target) : replace(call, from, target))
  if (isMove) await place(path)
  else await copyBeside(call, source, target, place)
  const [from, to] = [inBox(call, path), inBox(call, target)]
  locks.removeBelow(to)
  await properties.copy(account.place.id, from, to)
  if (isMove) {
    locks.removeBelow(from)
    await properties.remove(account.place.id, from)
  }
  answer(call, before ? 204 : 201)
}

/** Copies under another name until all is on disk, so that what is there stays where there is no room for the copy. */
async function copyBeside(
  call: Call,
  source: FileInfo,
  target: string,
  place: (from: string) => Promise<void>,
): Promise<void> {
  const { files, path, account, unfinished } = call
  const isShallow = header(call, 'depth') === '0' && source.kind === 'directory'
  const temporary = unfinished.begin(account, parentOf(target))
  try {
    if (isShallow) await files.mkdir(temporary.path)
    else await copy(files, path, temporary.path, source, { keepsTimes: true, isSynced: true })
    await place(temporary.path)
    temporary.end()
  } catch (error) {
    await removeTemporary(files, temporary)
    throw error
  }
}

/** Has something take the place of what a rename cannot replace. It is noted where that is, should this end in between. */
async function replace({ files, account, unfinished }: Call, from: string, target: string): Promise<void> {
  const aside = unfinished.stepAside(account, target)
  try {
    await files.rename(target, aside.path)
    await files.renameDurably(from, target)
  } catch (error) {
    await files.renameDurably(aside.path, target).then(aside.end, (refused) => {
      // It had not stepped aside yet.
      if (isMissing(refused)) aside.end()
      else aside.leave()
    })
    throw error
  }
  await removeTemporary(files, aside)
}

/** In characters. It is shown with each file that is locked. */
const longestOwner = 1_024

export async function lock(call: Call): Promise<void> {
  const { files, path, locks } = call
  const body = await readBody(call)
  const seconds = secondsOf(header(call, 'timeout'))
  if (body === '') return refresh(call, seconds)
  const { name, namespace, children } = body
  const scope = children.find((child) => child.name === 'lockscope')?.children[0]?.name
  if (name !== 'lockinfo' || namespace !== 'DAV:' || scope === undefined) throw new Refusal(400, 'this is no lock')
  const isThere = (await files.find(path)) !== undefined
  const depth = header(call, 'depth') ?? 'infinity'
  if (depth !== '0' && depth !== 'infinity') throw new Refusal(400, 'a lock has the depth 0 or infinity')
  const element = children.find((child) => child.name === 'owner')
  const owner = element ? written(element) : ''
  if (owner.length > longestOwner) throw new Refusal(400, 'the owner of a lock is too long')
  const { username } = call.account.state
  const wish = {
    path: inBox(call, path),
    isDeep: depth === 'infinity',
    isShared: scope === 'shared',
    seconds,
    username,
  }
  const made = locks.add({ ...wish, owner })
  if (!made) throw new Refusal(423, 'it is locked', 'no-conflicting-lock')
  if (!isThere) {
    try {
      await files.write(path, [], { isNew: true, isSynced: true })
      await files.syncFolder(parentOf(path))
    } catch (error) {
      locks.remove(made.token)
      throw error
    }
  }
  answerLock(call, isThere ? 200 : 201, made, { 'Lock-Token': lockToken(made) })
}

async function refresh(call: Call, seconds: number): Promise<void> {
  await checkLocks(call, [call.path])
  const said = header(call, 'if') ?? ''
  const known = call.locks.on(inBox(call, call.path)).find((one) => said.includes(lockToken(one)))
  if (!known) throw new Refusal(412, 'there is no such lock')
  answerLock(call, 200, call.locks.refresh(known, seconds), {})
}

function answerLock(call: Call, status: number, made: Lock, headers: Record<string, string>): void {
  const body = `<?xml version="1.0" encoding="utf-8"?><D:prop xmlns:D="DAV:">${lockDiscovery([made])}</D:prop>`
  answer(call, status, { 'Content-Type': 'application/xml; charset=utf-8', ...headers }, body)
}

export async function unlock(call: Call): Promise<void> {
  const token = header(call, 'lock-token')
  const known = call.locks.on(inBox(call, call.path)).find((one) => lockToken(one) === token?.trim())
  if (!known)
    throw new Refusal(token === undefined ? 400 : 409, 'there is no such lock', 'lock-token-matches-request-uri')
  call.locks.remove(known.token)
  answer(call, 204)
}
