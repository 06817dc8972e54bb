/**
 * Administers a server whose data is in its memory: the command sends its arguments through a Unix domain socket and
 * the server runs it. Every server answers there what only it knows, wherever its data is. The sockets lie in a directory
 * that only its owner can enter, so every caller is either the user who runs the server or root, and nothing is reachable
 * over a network (docs/adr/0017-administration-by-socket.md).
 */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, lstatSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { type RunningServer, runtimeDirectory } from '../config/config.ts'
import type { Database } from '../kernel/data/db.ts'
import { type DatabaseUrl, fileOf, isInMemory, locationOf } from '../kernel/data/dialect.ts'
import type { Logger } from '../kernel/process/log.ts'
import { createFolderOf } from '../kernel/process/private-file.ts'
import { administrativeCommands } from './administrative.ts'
import { type FailedCommand, runCommandLine } from './command-line.ts'
import { addConfigOption } from './config-file.ts'
import { CommandFailure } from './failure.ts'
import { isQuestion, type Live, questions } from './live.ts'
import { carryOut } from './noted.ts'

/** The printed output of a command, and the reason if it failed. */
interface Reply {
  readonly output: string
  readonly failure?: FailedCommand
}

const longestRequest = 65_536
/** The time that a caller has to send its request, in milliseconds. */
const patienceMs = 5_000

/** A service has a directory of its own (RuntimeDirectory= of systemd), by which root finds it too. */
const folder = () => runtimeDirectory() ?? join(tmpdir(), `wolke-${process.getuid!()}`)

/**
 * Throws when the directory is missing, or when others than its owner can enter it. The owner is this user; `isAsking`
 * allows root to ask servers of another one.
 */
function checkFolder(path: string, isAsking: boolean): void {
  // A symbolic link is not followed: whoever owns it can make it lead elsewhere.
  const found = lstatSync(path)
  const user = process.getuid!()
  const isTrusted = found.uid === user || (isAsking && user === 0)
  if (!found.isDirectory() || !isTrusted || (found.mode & 0o077) !== 0)
    throw new Error(`${path} is not a folder of this user alone`)
}

// ---- The server ----------------------------------------------------------------------------------------------------

export interface AdminChannel {
  close(): void
}

export interface ChannelOptions {
  readonly db: Database
  readonly database: DatabaseUrl
  readonly log: Logger
  /** URL of the API. Commands select a server by its port. */
  readonly apiUrl: string
  readonly live: Live
}

/**
 * Accepts commands of the user who runs this process. Errors: file system errors, or a directory that others can write
 * to.
 */
export async function openAdminChannel(options: ChannelOptions): Promise<AdminChannel> {
  const { database, apiUrl } = options
  const place = folder()
  createFolderOf(join(place, 'socket'))
  checkFolder(place, false)
  for (const { socket } of await connectAll(place, isSocket)) socket.destroy()
  const name = `${isInMemory(database) ? '' : `${markOf(database)}-`}${portOf(apiUrl)}-${randomBytes(4).toString('hex')}`
  const path = join(place, name)
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    serveCaller(socket, options)
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

function serveCaller(socket: Socket, parts: ChannelOptions): void {
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

async function runRequest(text: string, { db, database, log, live }: ChannelOptions): Promise<Reply> {
  const args: unknown = JSON.parse(text)
  if (isQuestion(args)) return { output: JSON.stringify(await live[args]()) }
  if (!isInMemory(database)) throw new TypeError('whoever may open the database needs no server for that')
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) throw new TypeError('not a command line')
  const pieces: string[] = []
  const write = (piece: string) => void pieces.push(piece)
  const program = new Command('wolke')
  const print = (line: string) => write(`${line}\n`)
  const commands = administrativeCommands(
    (_, work) => carryOut(args, db, (own) => work(own, print, async () => [live])),
    (_, work) => work(() => live.diagnose(), print),
  )
  for (const command of commands) program.addCommand(command)
  // The file said where the server is, and has nothing more to say.
  addConfigOption(program)
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

/** Finds the servers of this user that serve a database, each of which can be asked. */
export async function liveServers(database: DatabaseUrl): Promise<Live[]> {
  const place = folder()
  const mark = `${markOf(database)}-`
  const found = await connectAll(place, (name) => isSocket(name) && name.startsWith(mark)).catch(orNone)
  for (const { socket } of found) socket.destroy()
  return found.map(({ name }) => {
    const ask = (question: (typeof questions)[number]) => askAt(join(place, name), question)
    return Object.fromEntries(questions.map((question) => [question, () => ask(question)])) as unknown as Live
  })
}

async function askAt(path: string, question: string): Promise<unknown> {
  const socket = await connectTo(path)
  if (!socket) throw new CommandFailure('the server has ended meanwhile')
  socket.end(JSON.stringify(question))
  try {
    return JSON.parse((JSON.parse(await readAll(socket)) as Reply).output)
  } catch (error) {
    throw new CommandFailure(`the server did not answer: ${(error as Error).message}`)
  }
}

/** Nobody has made the folder yet where no server runs. */
function orNone(error: NodeJS.ErrnoException): OpenPort[] {
  if (error.code === 'ENOENT') return []
  throw new CommandFailure(error.message)
}

/** Marks the sockets of servers of one database; paths that lead to the same file have the same. */
function markOf(database: DatabaseUrl): string {
  const file = fileOf(database)
  return createHash('sha256')
    .update(file === undefined ? locationOf(database) : realPathOf(file))
    .digest('hex')
    .slice(0, 16)
}

function realPathOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    // A file that is not there is served by nobody.
    return file
  }
}

/** The sockets of servers with their data in memory, of one port or of all. */
const ofMemory = (port: number | undefined) => (name: string) =>
  /^\d+-[0-9a-f]{8}$/.test(name) && (port === undefined || name.startsWith(`${port}-`))

/** The sockets of all servers. */
const isSocket = (name: string) => /^([0-9a-f]{16}-)?\d+-[0-9a-f]{8}$/.test(name)

async function connectToOne(place: string, port: number | undefined): Promise<Socket> {
  const found = await connectAll(place, ofMemory(port)).catch(orNone)
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
  readonly name: string
  readonly port: string
  readonly socket: Socket
}

/** Connects to the servers whose sockets are wanted. Removes the sockets of servers that died. */
async function connectAll(place: string, isWanted: (name: string) => boolean): Promise<OpenPort[]> {
  checkFolder(place, true)
  const wanted = readdirSync(place).filter(isWanted)
  const found = await Promise.all(
    wanted.map(async (name) => {
      const socket = await connectTo(join(place, name))
      return socket && { name, port: name.split('-').at(-2)!, socket }
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
