/**
 * Administers a server whose data is in its memory: the command sends its arguments through a Unix domain socket and
 * the server runs it. The sockets lie in a directory that only its owner can enter, so every caller is either the user
 * who runs the server or root, and nothing is reachable over a network (docs/adr/0017-administration-by-socket.md).
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import type { RunningServer } from '../config/config.ts'
import type { Database } from '../kernel/data/db.ts'
import type { Logger } from '../kernel/process/log.ts'
import { createFolderOf } from '../kernel/process/private-file.ts'
import { administrativeCommands } from './administrative.ts'
import { type FailedCommand, runCommandLine } from './command-line.ts'
import { CommandFailure } from './failure.ts'
import { carryOut } from './noted.ts'

/** The printed output of a command, and the reason if it failed. */
interface Reply {
  readonly output: string
  readonly failure?: FailedCommand
}

const longestRequest = 65_536
/** The time that a caller has to send its request, in milliseconds. */
const patienceMs = 5_000

const folder = () => join(tmpdir(), `wolke-${process.getuid!()}`)

/** Throws when the directory is missing or when other users can write to it. */
function checkFolder(path: string): void {
  // A symbolic link is not followed: whoever owns it can make it lead elsewhere.
  const found = lstatSync(path)
  const isPrivate = found.isDirectory() && found.uid === process.getuid!() && (found.mode & 0o077) === 0
  if (!isPrivate) throw new Error(`${path} is not a folder of this user alone`)
}

// ---- The server ----------------------------------------------------------------------------------------------------

export interface AdminChannel {
  close(): void
}

export interface ChannelOptions {
  readonly db: Database
  readonly log: Logger
  /** URL of the API. Commands select a server by its port. */
  readonly apiUrl: string
}

/**
 * Accepts commands of the user who runs this process. Errors: file system errors, or a directory that others can write
 * to.
 */
export async function openAdminChannel({ db, log, apiUrl }: ChannelOptions): Promise<AdminChannel> {
  const place = folder()
  createFolderOf(join(place, 'socket'))
  checkFolder(place)
  for (const { socket } of await connectAll(place)) socket.destroy()
  const name = `${portOf(apiUrl)}-${randomBytes(4).toString('hex')}`
  const path = join(place, name)
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    serveCaller(socket, { db, log })
  })
  await listenAt(server, join(place, `.${name}`), path)
  return {
    close() {
      rmSync(path, { force: true })
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function portOf(url: string): string {
  const { port, protocol } = new URL(url)
  return port || (protocol === 'https:' ? '443' : '80')
}

/**
 * Renames the socket once it listens, so that a socket found under its final name that refuses connections belongs to a
 * dead server.
 */
async function listenAt(server: Server, draft: string, path: string): Promise<void> {
  server.listen(draft)
  await once(server, 'listening')
  chmodSync(draft, 0o600)
  renameSync(draft, path)
}

function serveCaller(socket: Socket, parts: Pick<ChannelOptions, 'db' | 'log'>): void {
  // A caller that hangs up needs no reply.
  socket.on('error', () => socket.destroy())
  const reply = async () => {
    const deadline = setTimeout(() => socket.destroy(), patienceMs)
    const text = await readAll(socket, longestRequest).finally(() => clearTimeout(deadline))
    // An empty request only checks whether a server listens.
    socket.end(text === '' ? '' : JSON.stringify(await runRequest(text, parts)))
  }
  reply().catch((error: unknown) => {
    if (!socket.destroyed) parts.log.error({ err: error }, 'an administrative command failed')
    socket.destroy()
  })
}

async function runRequest(text: string, { db, log }: Pick<ChannelOptions, 'db' | 'log'>): Promise<Reply> {
  const args: unknown = JSON.parse(text)
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) throw new TypeError('not a command line')
  const pieces: string[] = []
  const write = (piece: string) => void pieces.push(piece)
  const program = new Command('wolke')
  const commands = administrativeCommands((_, work) =>
    carryOut(args, db, (own) => work(own, (line) => write(`${line}\n`))),
  )
  for (const command of commands) program.addCommand(command)
  try {
    const failure = await runCommandLine(program, args, write)
    return { output: pieces.join(''), ...(failure ? { failure } : {}) }
  } catch (error) {
    log.error({ err: error }, 'an administrative command failed')
    return { output: '', failure: { message: 'the command failed; the log of the server says why', exitCode: 1 } }
  }
}

// ---- The command ---------------------------------------------------------------------------------------------------

/** Has a server run a command. Errors: `CommandFailure` when no single server matches or the server ends meanwhile. */
export async function askServer({ port }: RunningServer, args: readonly string[]): Promise<Reply> {
  const socket = await connectToOne(folder(), port)
  socket.end(JSON.stringify(args))
  try {
    return JSON.parse(await readAll(socket))
  } catch (error) {
    throw new CommandFailure(`the server did not answer (${(error as Error).message}); it may have run the command`)
  }
}

async function connectToOne(place: string, port: number | undefined): Promise<Socket> {
  const found = await connectAll(place, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new CommandFailure(error.message)
  })
  const [first, ...others] = found
  if (first && others.length === 0) return first.socket
  for (const { socket } of found) socket.destroy()
  if (first) {
    const names = found.map((server) => `memory:${server.port}`).sort()
    throw new CommandFailure(
      `several servers keep their data in memory: choose one by --database ${names.join(' or ')}`,
    )
  }
  const what = port === undefined ? 'is running' : `has its API on port ${port}`
  throw new CommandFailure(`no wolke serve --database memory of this user ${what} (looked in ${place})`)
}

interface OpenPort {
  readonly port: string
  readonly socket: Socket
}

/** Connects to every server, or to those with the given port. Removes the sockets of servers that died. */
async function connectAll(place: string, port?: number): Promise<OpenPort[]> {
  checkFolder(place)
  const names = readdirSync(place).filter((name) => /^\d+-[0-9a-f]{8}$/.test(name))
  const wanted = names.filter((name) => port === undefined || name.startsWith(`${port}-`))
  const found = await Promise.all(
    wanted.map(async (name) => {
      const socket = await connectTo(join(place, name))
      return socket && { port: name.split('-')[0]!, socket }
    }),
  )
  return found.filter((server) => server !== undefined)
}

async function connectTo(path: string): Promise<Socket | undefined> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return socket
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ECONNREFUSED') rmSync(path, { force: true })
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return undefined
    throw error
  }
}

/** Reads until the other side ends. Throws when more than `most` bytes arrive. */
async function readAll(socket: Socket, most = Number.POSITIVE_INFINITY): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  // Leaving the loop must not destroy the socket: the reply still has to be written to it.
  for await (const piece of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > most) throw new Error('the request is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
