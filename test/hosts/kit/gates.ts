/** Stands between Wolke and the engines of a lab, and lets something happen at a chosen request that changes something. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSocketServer, type Socket, type Server as SocketServer } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { connect } from 'node:tls'
import type { Lab } from '../../../lab/lab.ts'
import { Transport } from '../../../src/protocols/incus/transport.ts'
import { Framing } from '../../../src/protocols/ovsdb/framing.ts'
import { clusterOf } from './cluster.ts'

export type Engine = 'incus' | 'ovn'

/** When it happens: as the engine has the request and has not answered, or as it has. Wolke is never told the answer. */
export type Moment = 'meanwhile' | 'after'

/** What happens at the request with a number, counted from 1 among those to some engines. */
export interface Plan {
  readonly number: number
  readonly engines: readonly Engine[]
  readonly moment: Moment
  happen(): Promise<void>
}

export class Gates {
  /** What Wolke is told of where the engines are. */
  readonly options: readonly string[]
  readonly #servers: readonly [Server, SocketServer]
  readonly #sockets = new Set<Socket>()
  #plan: (Plan & { left: number }) | undefined
  #happened: Promise<void> | undefined
  #lastChange = 0

  private constructor(lab: Lab, folder: string) {
    const [incus, ovn] = [join(folder, 'incus.socket'), join(folder, 'ovn.socket')]
    this.options = ['--incus', `unix:${incus}`, '--ovn', `unix:${ovn}`]
    this.#servers = [this.#incus(lab), this.#ovn(lab)]
    for (const server of this.#servers) server.on('connection', (socket: Socket) => this.#keep(socket))
    this.#servers[0].listen(incus)
    this.#servers[1].listen(ovn)
  }

  /** Opens gates to a lab, with sockets in a folder. */
  static async open(lab: Lab, folder: string): Promise<Gates> {
    const gates = new Gates(lab, folder)
    await Promise.all(gates.#servers.map((server) => once(server, 'listening')))
    return gates
  }

  plan(plan: Plan): void {
    // What is about to be asked for may come after a moment.
    this.#lastChange = performance.now()
    this.#plan = { ...plan, left: plan.number }
    this.#happened = undefined
  }

  /** Lets nothing happen that has not yet; whether there was such a plan. */
  forget(): boolean {
    const isPlanned = this.#plan !== undefined
    this.#plan = undefined
    return isPlanned
  }

  /** What has happened since it was planned, once it is over; undefined when its number was not reached yet. */
  get happened(): Promise<void> | undefined {
    return this.#happened
  }

  /** How long ago the last change went through, or something was planned, in milliseconds. */
  get quietMs(): number {
    return performance.now() - this.#lastChange
  }

  close(): void {
    for (const server of this.#servers) server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Counts a change, and returns the plan if it is the one that is meant. */
  #count(engine: Engine): Plan | undefined {
    this.#lastChange = performance.now()
    const plan = this.#plan
    if (!plan?.engines.includes(engine) || --plan.left > 0) return undefined
    this.#plan = undefined
    return plan
  }

  /** Lets happen what is planned at a change whose answer is on its way. */
  #meet(plan: Plan, answered: Promise<unknown>): void {
    const ended = answered.catch(() => undefined)
    this.#happened = plan.moment === 'after' ? ended.then(() => plan.happen()) : plan.happen()
    this.#happened.catch(() => undefined)
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  #incus(lab: Lab): Server {
    const [endpoint] = clusterOf(lab).incus
    const transport = new Transport(endpoint!)
    const server = createServer(async (request, response) => {
      try {
        await this.#forward(transport, request, response)
      } catch {
        request.socket.destroy()
      }
    })
    return server.once('close', () => transport.close())
  }

  async #forward(transport: Transport, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers, socket } = request
    const body = await buffer(request)
    const told = Object.entries(headers).filter(([name]) => /^(content-type|if-match|x-incus-.*)$/.test(name))
    const plan = method === 'GET' ? undefined : this.#count('incus')
    const options = { timeoutMs: 900_000, headers: Object.fromEntries(told) as Record<string, string> }
    const sent = transport.send(method, url, body.length > 0 ? body : undefined, options)
    if (plan) {
      this.#meet(plan, sent)
      await this.#happened
      socket.destroy()
      return
    }
    const { status, etag, text } = await sent
    response.writeHead(status, etag === undefined ? {} : { etag }).end(text)
  }

  #ovn(lab: Lab): SocketServer {
    const [, host, port] = /^ssl:(.+):(\d+)$/.exec(lab.ovn.northbound)!
    const [ca, cert, key] = [lab.ovn.authority, lab.ovn.certificate, lab.ovn.key].map((path) => readFileSync(path))
    const address = { host: host!, port: Number(port) }
    return createSocketServer((inner) => {
      const outer = connect({ ...address, ca: ca!, cert: cert!, key: key!, checkServerIdentity: () => undefined })
      this.#keep(outer)
      this.#join(inner, outer)
    })
  }

  /** Passes messages of OVSDB between Wolke and the database. */
  #join(inner: Socket, outer: Socket): void {
    const held = new Map<unknown, () => void>()
    pass(inner, outer, (message) => {
      const plan = isChange(message) ? this.#count('ovn') : undefined
      if (plan) {
        const { promise, resolve } = Promise.withResolvers<void>()
        held.set(message.id, resolve)
        outer.once('close', resolve)
        this.#meet(plan, promise)
        void this.#happened!.finally(() => inner.destroy()).catch(() => undefined)
      }
      return true
    })
    pass(outer, inner, ({ id, method }) => {
      const isHeld = method === undefined && held.has(id)
      if (isHeld) held.get(id)!()
      return !isHeld
    })
  }
}

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: readonly unknown[]
}

/** Hands on the messages that may pass from one socket to the other, which ends with it. */
function pass(from: Socket, to: Socket, mayPass: (message: Message) => boolean): void {
  const framing = new Framing(256 << 20)
  from.on('data', (piece: Buffer) => {
    for (const message of framing.take(piece)) if (mayPass(message as Message)) to.write(JSON.stringify(message))
  })
  from.once('close', () => to.destroy())
}

function isChange({ method, params = [] }: Message): boolean {
  const operations = params.slice(1) as { op?: string }[]
  return method === 'transact' && operations.some(({ op }) => ['insert', 'update', 'mutate', 'delete'].includes(op!))
}
