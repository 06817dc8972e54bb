/** The connection of an API server to the data plane process. */
import { connect, type Socket } from 'node:net'
import type { Report } from './report.ts'
import { type Greeting, type Message, type Method, type Methods, receive, send } from './wire.ts'

/** The process ended before it answered. */
export class LinkLost extends Error {
  constructor() {
    super('the process of the Load Balancers ended')
  }
}

/** How long a process may take to say who it is, in milliseconds. */
const greetingMs = 5_000

interface Waiting {
  resolve(result: unknown): void
  reject(error: Error): void
}

export interface LinkEvents {
  report(report: Report): void
  /** The connection has ended, whoever wanted it. */
  lost(link: Link): void
}

export class Link {
  readonly greeting: Greeting
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>
  readonly #socket: Socket
  readonly #waiting = new Map<number, Waiting>()
  #calls = 0

  private constructor(socket: Socket, greeting: Greeting) {
    this.#socket = socket
    this.greeting = greeting
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()))
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /** Connects to the process; undefined when none listens. Errors: those of the socket. */
  static async open(path: string, events: LinkEvents): Promise<Link | undefined> {
    const socket = await connectTo(path)
    return socket && Link.#greeted(socket, events)
  }

  /** Undefined when the process ends instead of saying who it is. */
  static #greeted(socket: Socket, events: LinkEvents): Promise<Link | undefined> {
    return new Promise((resolve) => {
      let link: Link | undefined
      // What was lost with a broken connection is told by its end.
      socket.on('error', () => socket.destroy())
      // One that stands still is as good as none.
      socket.setTimeout(greetingMs, () => socket.destroy())
      socket.once('close', () => {
        resolve(undefined)
        if (!link) return
        link.#loseAll()
        events.lost(link)
      })
      receive<Message>(socket, (message) => {
        if ('greeting' in message) {
          socket.setTimeout(0)
          link = new Link(socket, message.greeting)
          resolve(link)
        } else if ('report' in message) events.report(message.report)
        else if (link) link.#settle(message)
      })
    })
  }

  /** Errors: `LinkLost`, and what the process says. */
  ask<M extends Method>(method: M, ...args: Methods[M]['args']): Promise<Methods[M]['result']> {
    if (this.#socket.destroyed) return Promise.reject(new LinkLost())
    const call = ++this.#calls
    send(this.#socket, { call, method, args })
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve: (result) => resolve(result as Methods[M]['result']), reject })
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #loseAll(): void {
    for (const { reject } of this.#waiting.values()) reject(new LinkLost())
    this.#waiting.clear()
  }

  #settle(message: Extract<Message, { call: number }>): void {
    const waiting = this.#waiting.get(message.call)
    this.#waiting.delete(message.call)
    if ('error' in message) waiting?.reject(new Error(message.error))
    else waiting?.resolve(message.result)
  }
}

function connectTo(path: string): Promise<Socket | undefined> {
  const socket = connect(path)
  return new Promise((resolve, reject) => {
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // A dead process leaves a socket behind that refuses.
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(undefined)
      else reject(error)
    })
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
  })
}
