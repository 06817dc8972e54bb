/** The connection of an API server to the data plane process. */
import { connect, type Socket } from 'node:net'
import type { Report } from '../report.ts'
import { type Holder, holderOf } from './holder.ts'
import { killHung } from './launch.ts'
import { Silence } from './silence.ts'
import { type Greeting, type Message, type Method, type Methods, receive, send } from './wire.ts'

/** The process ended before it answered. */
export class LinkLost extends Error {
  constructor() {
    super('the process of the Load Balancers ended')
  }
}

interface PendingCall {
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
  readonly #waiting = new Map<number, PendingCall>()
  readonly #silence: Silence
  #calls = 0

  private constructor(socket: Socket, greeting: Greeting, silence: Silence) {
    this.#socket = socket
    this.#silence = silence
    this.greeting = greeting
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()))
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /** Connects to the process; undefined when none listens, or when it hangs. Errors: those of the socket. */
  static async open(path: string, events: LinkEvents): Promise<Link | undefined> {
    const holder = holderOf(path)
    const socket = await connectTo(holder?.socket ?? path)
    return socket && Link.#greeted(socket, events, () => endHung(path, holder, events))
  }

  /** Undefined when the process ends instead of saying who it is. A silence that lasts is its end, too. */
  static #greeted(socket: Socket, events: LinkEvents, onSilence: () => void): Promise<Link | undefined> {
    return new Promise((resolve) => {
      let link: Link | undefined
      const silence = new Silence(() => {
        onSilence()
        socket.destroy()
      })
      silence.begin()
      // What was lost with a broken connection is told by its end.
      socket.on('error', () => socket.destroy())
      socket.once('close', () => {
        silence.end()
        resolve(undefined)
        if (!link) return
        link.#loseAll()
        events.lost(link)
      })
      receive<Message>(socket, (message) => {
        silence.interrupt()
        if ('greeting' in message) {
          silence.end()
          link = new Link(socket, message.greeting, silence)
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
      this.#silence.begin()
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
    if (this.#waiting.size === 0) this.#silence.end()
    if ('error' in message) waiting?.reject(new Error(message.error))
    else waiting?.resolve(message.result)
  }
}

/** Makes room for another process, which takes the addresses and ports over. */
function endHung(path: string, holder: Holder | undefined, { report }: LinkEvents): void {
  const isKilled = holder !== undefined && killHung(holder.pid, path)
  const message = `the process of the Load Balancers hangs${isKilled ? ' and is killed' : ''}`
  report({ level: 'error', message, fields: holder ? { pid: holder.pid } : {} })
}

/** A dead process leaves a socket behind that refuses, and one that dies just now resets what it had not taken yet. */
const absences = new Set<string | undefined>(['ENOENT', 'ECONNREFUSED', 'ECONNRESET'])

function connectTo(path: string): Promise<Socket | undefined> {
  const socket = connect(path)
  return new Promise((resolve, reject) => {
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (absences.has(error.code)) resolve(undefined)
      else reject(error)
    })
    socket.once('connect', () => {
      socket.removeAllListeners('error')
      resolve(socket)
    })
  })
}
