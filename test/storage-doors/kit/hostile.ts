/** What a hostile client asks for: a home full of links, somebody who swaps them, and words and requests that lead out. */
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { Accounts } from '../../../src/drivers/storage/doors/accounts.ts'
import { Files } from '../../../src/drivers/storage/doors/files.ts'
import type { Shell } from '../../../src/drivers/storage/doors/ssh/commands/command.ts'
import { commands } from '../../../src/drivers/storage/doors/ssh/commands/table.ts'
import { accountFor, openDoors, password } from './doors.ts'

const secret = 'secret of the machine'
/** What nobody sees who is in his home. */
export const known = /root:x:0:0|secret of the machine/

/** A subaccount whose home is full of links, and what is around it. */
export async function trap(t: TestContext, isReadonly = false) {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  const main = await accountFor(fixture)
  const guest = await accountFor(fixture, { username: 'u1-sub1', home: 'sub', isReadonly })
  fixture.set(box, main, guest)
  const sub = join(box.files, 'sub')
  mkdirSync(join(sub, 'folder'), { recursive: true })
  for (const path of [sub, join(sub, 'folder')]) chownSync(path, box.place.uid, box.place.gid)
  writeFileSync(join(box.files, 'private'), secret)
  const targets = [
    '/',
    '..',
    '../..',
    '/proc/self/root',
    '/etc',
    '/tmp',
    box.outside,
    `..${box.outside}`,
    fixture.folder,
  ]
  /** Makes the links that a guest has removed or replaced. */
  const link = () => {
    for (const [index, target] of targets.entries()) {
      rmSync(join(sub, `l${index}`), { recursive: true, force: true })
      symlinkSync(target, join(sub, `l${index}`))
    }
  }
  link()
  const places = ['etc', 'passwd', 'proc', 'self', 'root', 'cwd', '1', 'private', 'secret', 'secrets', 'tmp', 'way']
  const parts = [
    ...['..', '.', '', '...', '~', '-r', '*', ...places],
    ...['sub', 'folder', 'new', 'box-1', 'files', '.zfs'],
    ...[box.outside, fixture.folder, '/etc/passwd'],
    ...targets.map((_, index) => `l${index}`),
  ]
  const accounts = new Accounts()
  accounts.set(box.place, 1, [main, guest])
  const open = async (username: string) => {
    const files = await Files.open(accounts.find(username)!)
    t.after(() => files.close())
    return files
  }
  return {
    fixture,
    box,
    sub,
    guest,
    parts,
    link,
    targets,
    open,
    outside: () => outsideOf(sub, box.place.uid, fixture.folder),
  }
}

/** All that is around a home, and what belongs to its owner where everybody may write. */
function outsideOf(home: string, uid: number, folder: string): string[] {
  // The doors keep what they know of files in a folder of their own.
  const others = ['(', '-path', `${home}/*`, '-o', '-path', `${folder}/keys/*`, ')', '-prune', '-o']
  const print = ['-type', 'f', '-printf', '%p %s %T@\\n', '-o', '-printf', '%p\\n']
  const around = execFileSync('find', [folder, ...others, ...print], { encoding: 'utf8' })
  const shared = ['/', '/etc', '/tmp', '/var/tmp', '/dev/shm', '/run'].filter(existsSync)
  const own = execFileSync('find', [...shared, '-maxdepth', '1', '-uid', `${uid}`], { encoding: 'utf8' })
  return `${around}${own}`.split('\n').sort()
}

/** Swaps a folder and links to what is outside under the name `way`, until the result is disposed of. */
export function swapBeside(
  owner: Files,
  targets: readonly string[],
): AsyncDisposable & { readonly rounds: () => number } {
  let isOver = false
  let rounds = 0
  const harmless = () => undefined
  const swap = async () => {
    for (; !isOver; rounds++) {
      await owner.mkdir('/sub/real').catch(harmless)
      await owner.symlink(targets[rounds % targets.length]!, '/sub/next').catch(harmless)
      await owner.rename('/sub/next', '/sub/way').catch(harmless)
      await owner.remove('/sub/way').catch(harmless)
      await owner.rename('/sub/real', '/sub/way').catch(harmless)
      await owner.removeAll('/sub/way').catch(harmless)
    }
  }
  const swapping = swap()
  return {
    rounds: () => rounds,
    async [Symbol.asyncDispose]() {
      isOver = true
      await swapping
    },
  }
}

/** Lines of commands. */
export function someLines(parts: readonly string[], count: number): string[] {
  const path = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 }).map((all) => all.join('/'))
  const quoted = fc.oneof(
    path,
    path.map((words) => `'${words}'`),
    path.map((words) => `"${words}"`),
  )
  const names = Object.keys(commands).filter((name) => name !== 'scp' && name !== 'rclone')
  const options = fc.constantFrom('', '-r', '-a', '-R', '-f', '-p', '-la', '--', '-L', 'of=', 'if=')
  const command = fc.tuple(fc.constantFrom(...names), options, fc.array(quoted, { minLength: 1, maxLength: 3 }))
  return fc
    .sample(command, { numRuns: count, seed: 46 })
    .map(([name, option, paths]) => `${name} ${option}${option.endsWith('=') ? '' : ' '}${paths.join(' ')}`)
}

/** A shell that reads the same bytes again and again, and notes what it prints. */
export function shellOn(files: Files, heard: string[]): Shell {
  return {
    files,
    room: async () => ({ limit: 0, used: 0, free: 0 }),
    get input() {
      return (async function* () {
        yield Buffer.from('escaped')
      })()
    },
    print: async (text) => void heard.push(text.toString('latin1')),
    complain: () => undefined,
    begin: (folder) => ({ path: `${folder}/.begun`, end: () => undefined, leave: () => undefined }),
  }
}

export type Asked = readonly [method: string, from: string, to: string]

/** Requests of WebDAV. */
export function someRequests(parts: readonly string[], count: number): Asked[] {
  const encoded = fc.constantFrom(
    (part: string) => part,
    encodeURIComponent,
    (part: string) => part.replaceAll('.', '%2e').replaceAll('/', '%2f'),
    (part: string) => part.replaceAll('.', '%252e'),
    (part: string) => part.replaceAll('/', '\\'),
  )
  const part = fc.tuple(fc.constantFrom(...parts), encoded).map(([words, encode]) => encode(words))
  const path = fc.array(part, { minLength: 1, maxLength: 6 }).map((all) => `/${all.join('/')}`)
  const methods = ['GET', 'PUT', 'DELETE', 'MKCOL', 'COPY', 'MOVE', 'PROPFIND', 'PROPPATCH', 'LOCK', 'HEAD']
  return fc.sample(fc.tuple(fc.constantFrom(...methods), path, path), { numRuns: count, seed: 46 })
}

/** Sends such requests as an account. */
export function asker(t: TestContext, port: number, username: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  t.after(() => agent.destroy())
  return ([method, path, destination]: Asked) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const headers = { destination, depth: '1', overwrite: 'T' }
      const options = { host: '127.0.0.1', port, auth: `${username}:${password}`, agent, method, path, headers }
      const asked = request(options, (response) => {
        const pieces: Buffer[] = []
        const answer = () => resolve({ status: response.statusCode!, body: Buffer.concat(pieces).toString('latin1') })
        response.on('data', (piece: Buffer) => pieces.push(piece)).once('end', answer)
        // A file that is replaced while it is sent is cut off; what came of it counts.
        response.once('error', answer)
      })
      asked.once('error', (error: NodeJS.ErrnoException) => {
        // It may be cut off before its head is sent.
        if (error.code === 'ECONNRESET') resolve({ status: 0, body: '' })
        else reject(error)
      })
      asked.end(method === 'PUT' ? 'escaped' : undefined)
    })
}
