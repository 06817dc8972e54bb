/** Starts the data plane process, which then belongs to nobody: it outlives the API server that started it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makePrivate } from '../../../private-folder.ts'

/** The program lies beside this module, as source or as its own file of the bundle. */
const program = new URL(import.meta.url.endsWith('.ts') ? './program.ts' : './load-balancers.js', import.meta.url)

/** Paths of sockets are short on every system; the process adds its id while it starts. */
const longestPath = 90
/** How long the process may take to start, in milliseconds. */
const patienceMs = 10_000
/** How much of what it says is reported, in characters: the end. */
const lastLength = 2_000

export interface PlaneFolder {
  readonly directory: string
  readonly socket: string
}

/** Prepares the folder of the process and says where its socket is. Errors: of the file system; a folder of others. */
export function placeIn(directory: string): PlaneFolder {
  const place = resolve(directory)
  makePrivate(place)
  const socket = join(place, 'socket')
  if (Buffer.byteLength(socket) <= longestPath) return { directory: place, socket }
  const digest = createHash('sha256').update(place).digest('hex').slice(0, 16)
  const folder = join(tmpdir(), `wolke-lb-${digest}`)
  makePrivate(folder)
  return { directory: place, socket: join(folder, 'socket') }
}

/** Where the process writes why it failed. */
const errorsFile = ({ directory }: PlaneFolder) => join(directory, 'errors.txt')

/** Starts the process. Resolves when it can be connected to. Throws when it does not start, with what it says. */
export async function launch(place: PlaneFolder, portOffset: number): Promise<void> {
  const errors = openSync(errorsFile(place), 'w', 0o600)
  const args = [fileURLToPath(program), place.directory, place.socket, `${portOffset}`]
  try {
    const child = spawn(process.execPath, args, {
      detached: true,
      cwd: '/',
      // It needs nothing of the environment, which may hold secrets. What a request leaves behind is little, and soon gone.
      env: { NODE_OPTIONS: '--max-semi-space-size=4' },
      stdio: ['ignore', 'ignore', errors, 'ipc'],
    })
    await ready(child, place)
  } finally {
    closeSync(errors)
  }
}

function ready(child: ChildProcess, place: PlaneFolder): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error('the process of the Load Balancers does not start'))
    }, patienceMs)
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`the process of the Load Balancers failed: ${lastWords(place)}`)))
    child.once('message', () => {
      child.removeAllListeners()
      child.disconnect()
      child.unref()
      resolve()
    })
    child.once('exit', () => clearTimeout(timer))
    child.once('message', () => clearTimeout(timer))
  })
}

/**
 * Kills a process that hangs, unless its id may be that of another program by now: only Linux says what a process runs.
 * Returns whether it did.
 */
export function killHung(pid: number, socket: string): boolean {
  try {
    const [, script = '', , place] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    if (place !== socket || basename(script) !== basename(fileURLToPath(program))) return false
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    // It has ended meanwhile, belongs to somebody else, or this is another system.
    return false
  }
}

/** Why the process died, as far as it could say; empty when it was killed, or another API server had started it. */
export function lastWords(place: PlaneFolder): string {
  const file = errorsFile(place)
  return existsSync(file) ? readFileSync(file, 'utf8').slice(-lastLength).trim() : ''
}
