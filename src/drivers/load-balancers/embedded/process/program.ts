/**
 * The process that carries the traffic, a file of its own in the bundle. It works for all API servers that are connected
 * to it, and ends with the last of them: at once when that one leaves, some seconds later when it vanished.
 */

import { once } from 'node:events'
import { chmodSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Report } from '../report.ts'
import { alone, hold, socketOf } from './holder.ts'
import { Plane } from './plane.ts'
import { type Call, type Message, receive, send, settingsOf } from './wire.ts'

/** How long clients that vanished may take to come back, in milliseconds. */
const patienceMs = 8_000
/** How often the socket is looked for: without it, nobody can find this process. */
const lookingMs = 1_000
/** How long another process may take to greet, in milliseconds; who started this one waits for longer. */
const greetingMs = 5_000

class Program {
  readonly #socketPath: string
  readonly #settings: string
  readonly #plane: Plane
  readonly #server: Server
  readonly #clients = new Set<Socket>()
  #inode: number | undefined
  #patience: NodeJS.Timeout | undefined
  #looking: NodeJS.Timeout | undefined

  constructor(directory: string, socketPath: string, portOffset: number) {
    this.#socketPath = socketPath
    this.#settings = settingsOf(portOffset)
    const report = (level: Report['level'], message: string, fields: Report['fields']) =>
      this.#tellAll({ report: { level, message, fields } })
    this.#plane = new Plane({ directory, portOffset, report })
    this.#server = createServer((socket) => this.#welcome(socket))
  }

  /**
   * Takes the place once it listens, so that what is found there is always a process that answers, or one that is dead or
   * hangs. Does nothing when one answers: another API server was faster. Errors: those of the file system.
   */
  async start(): Promise<void> {
    using _alone = alone(this.#socketPath)
    if (await isAnswered(this.#socketPath)) return this.#plane.close()
    const socket = socketOf(this.#socketPath, process.pid)
    // A dead process that had this one's id may have left it behind.
    rmSync(socket, { force: true })
    this.#server.listen(socket)
    await once(this.#server, 'listening')
    chmodSync(socket, 0o600)
    hold(this.#socketPath, process.pid)
    this.#inode = this.#inodeThere()
    this.#looking = setInterval(() => this.#look(), lookingMs)
    this.#waitForClients()
  }

  #welcome(socket: Socket): void {
    clearTimeout(this.#patience)
    this.#clients.add(socket)
    // A client that vanished is seen by its closed connection.
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#bidFarewell(socket))
    receive<Call>(socket, (call) => void this.#answer(socket, call))
    const others = this.#clients.size - 1
    send(socket, { greeting: { epoch: this.#plane.epoch, settings: this.#settings, others } })
  }

  #bidFarewell(socket: Socket): void {
    if (this.#clients.delete(socket) && this.#clients.size === 0) this.#waitForClients()
  }

  #waitForClients(): void {
    this.#patience = setTimeout(() => this.#end(), patienceMs)
  }

  /** Ends when another process has taken this one's place, or the folder was removed. */
  #look(): void {
    if (this.#inodeThere() !== this.#inode) this.#end()
  }

  #inodeThere(): number | undefined {
    return statSync(this.#socketPath, { throwIfNoEntry: false })?.ino
  }

  #tellAll(message: Message): void {
    for (const socket of this.#clients) send(socket, message)
  }

  async #answer(socket: Socket, call: Call): Promise<void> {
    try {
      send(socket, { call: call.call, result: (await this.#run(call, socket)) ?? null })
    } catch (error) {
      send(socket, { call: call.call, error: (error as Error).message })
    }
  }

  async #run({ method, args }: Call, socket: Socket): Promise<unknown> {
    switch (method) {
      case 'leave':
        return this.#leave(socket)
      case 'retire':
        return this.#end()
      case 'setClock':
        this.#plane.clockOffset = (args as [number])[0]
        return null
      default:
        return (this.#plane[method] as (...args: unknown[]) => unknown)(...args)
    }
  }

  #leave(socket: Socket): void {
    this.#clients.delete(socket)
    if (this.#clients.size > 0) return void socket.end()
    // The client waits for the end of its connection, which comes with that of the process.
    socket.unref()
    this.#end()
  }

  /** Leaves nothing to be done, so that the process ends. */
  #end(): void {
    if (this.#inodeThere() === this.#inode) rmSync(this.#socketPath)
    clearTimeout(this.#patience)
    clearInterval(this.#looking)
    this.#plane.close()
    this.#server.close()
    const clients = [...this.#clients]
    this.#clients.clear()
    for (const socket of clients) socket.destroy()
  }
}

/** Whether a process greets. The system itself takes connections for one that hangs. */
function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path)
  return new Promise((resolve) => {
    const settle = (isAnswered: boolean) => {
      socket.destroy()
      resolve(isAnswered)
    }
    socket.setTimeout(greetingMs, () => settle(false))
    socket.on('error', () => settle(false))
    socket.once('end', () => settle(false))
    socket.once('data', () => settle(true))
  })
}

const [directory, socketPath, portOffset] = process.argv.slice(2)
if (!directory || !socketPath) throw new Error('usage: load-balancers DIRECTORY SOCKET PORT_OFFSET')
await new Program(directory, socketPath, Number(portOffset)).start()
// Whoever started it can connect now, and has nothing else to do with it. It may have died meanwhile.
process.send?.('ready', () => {
  if (process.connected) process.disconnect()
})
