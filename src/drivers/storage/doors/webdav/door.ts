/** The WebDAV door (RFC 4918, classes 1 and 2), on the file layer that all doors share. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Account, Accounts } from '../accounts.ts'
import { listenAt } from '../listening.ts'
import { type Passwords, TooMany } from '../passwords.ts'
import { DeadProperties } from './dead-properties.ts'
import { Locks } from './locks.ts'
import { lock, mkcol, remove, transfer, unlock } from './places.ts'
import { FilesPool } from './pool.ts'
import { propfind, proppatch } from './properties.ts'
import { answer, type Call, pathOf, Refusal, refusalOf } from './request.ts'
import { Strangers } from './strangers.ts'
import { get, put } from './transfers.ts'
import type { Unfinished } from './unfinished.ts'

export interface WebdavDoorOptions {
  readonly accounts: Accounts
  readonly passwords: Passwords
  /** Properties of files are kept here, in a folder of root alone. */
  readonly directory: string
  readonly unfinished: Unfinished
  readonly report: (message: string, fields: object) => void
}

/** A certificate with those above it, and its key, both PEM. */
export interface Tls {
  readonly cert: string
  readonly key: string
}

type Method = (call: Call) => Promise<void>

const options: Method = async (call) =>
  answer(call, 200, { DAV: '1, 2', Allow: [...methods.keys()].join(', '), 'MS-Author-Via': 'DAV' })

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['OPTIONS', options],
  ['GET', get],
  ['HEAD', get],
  ['PUT', put],
  ['DELETE', remove],
  ['MKCOL', mkcol],
  ['COPY', transfer],
  ['MOVE', transfer],
  ['PROPFIND', propfind],
  ['PROPPATCH', proppatch],
  ['LOCK', lock],
  ['UNLOCK', unlock],
])

const handshakeMs = 5_000
/** The head of a request takes so long at the longest, however slowly it is sent; that is looked at every second. */
const headMs = 10_000
const checksMs = 1_000
/** Nobody keeps a connection without a byte for so long, unless a request of his is being worked on. */
const stillMs = 120_000
/** A method that changes something may not begin with a fragment: what is meant would be another file. */
const strange = /[#\0]/

interface WebdavSession {
  readonly username: string
  /** Requests that are answered at the moment. */
  busy: number
  leave(): void
}

export class WebdavDoor {
  readonly #options: WebdavDoorOptions
  #server: Server | undefined
  readonly #pool = new FilesPool()
  readonly #properties: DeadProperties
  readonly #unfinished: Unfinished
  readonly #locks = new Map<number, Locks>()
  /** Connections are known by their account once they have shown a password. */
  readonly #sessions = new WeakMap<Socket, WebdavSession>()
  readonly #strangers = new Strangers()

  constructor(options: WebdavDoorOptions) {
    this.#options = options
    this.#properties = new DeadProperties(join(options.directory, 'properties'), options.report)
    this.#unfinished = options.unfinished
  }

  /** Opens the door, with TLS where there is a certificate; resolves with its port. Errors: of the socket, and of TLS. */
  async listen(port: number, host: string, tls?: Tls): Promise<number> {
    // A body takes as long as it takes. Node.js has no limit for heads either then, unless one is said.
    const limits = { requestTimeout: 0, headersTimeout: headMs, connectionsCheckingInterval: checksMs }
    const settings = { ...limits, keepAliveTimeout: 60_000 }
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.#answer(request, response)
    const server = tls
      ? createSecureServer({ ...settings, ...tls, handshakeTimeout: handshakeMs }, serve)
      : createServer(settings, serve)
    server.setTimeout(stillMs)
    server.on('connection', (socket: Socket) => this.#strangers.enter(socket))
    this.#server = server
    return listenAt(server, port, host, this.#options.report)
  }

  /** Forgets what is known of a box that is removed. */
  forget(box: number): void {
    this.#locks.delete(box)
    this.#properties.forget(box)
    this.#unfinished.forget(box)
  }

  /** Removes what a process, or a file server, did not finish for an account. Errors: those of its files. */
  async tidy(account: Account): Promise<void> {
    const { username } = account.state
    if (this.#unfinished.has(username))
      await this.#pool.use(account, (files) => this.#unfinished.clear(username, files))
  }

  /** The same; what goes wrong is reported. */
  async tidyAfter(account: Account): Promise<void> {
    try {
      await this.tidy(account)
    } catch (error) {
      this.#options.report('what a file server has left could not be removed', { reason: (error as Error).message })
    }
  }

  /** Has the next request of an account get a file server of its own. */
  renew(username: string): void {
    this.#pool.forget(username)
  }

  close(): void {
    this.#server?.close()
    this.#server?.closeAllConnections()
    this.#pool.close()
    this.#properties.close()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#strangers.hear(request.socket)
    response.on('timeout', (socket: Socket) => {
      // The client waits where it has sent its request and read what there is of the answer.
      if (request.complete && socket.writableLength === 0) socket.setTimeout(stillMs)
      else socket.destroy()
    })
    try {
      const account = await this.#admit(request)
      const path = strange.test(request.url ?? '') ? undefined : pathOf(request.url ?? '')
      if (path === undefined) throw new Refusal(400, 'this is no path')
      const method = methods.get(request.method ?? '')
      if (!method) throw new Refusal(405, 'this method is not served')
      const { id } = account.place
      const locks = this.#locks.get(id) ?? new Locks()
      this.#locks.set(id, locks)
      const known = { locks, properties: this.#properties, unfinished: this.#unfinished }
      const session = this.#sessions.get(request.socket)
      if (session) session.busy++
      const leave = () => {
        if (session) session.busy--
      }
      response.once('close', leave)
      const call = { request, response, account, path, ...known }
      try {
        await this.#pool.use(account, (files) => method({ ...call, files }))
      } finally {
        await this.tidyAfter(account)
      }
    } catch (error) {
      this.#refuse(request, response, error)
    }
  }

  /** Says whose request this is. Errors: `Refusal`. */
  async #admit(request: IncomingMessage): Promise<Account> {
    const { accounts, passwords } = this.#options
    const { socket } = request
    const address = socket.remoteAddress ?? ''
    const [, basic] = /^Basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(request.headers.authorization ?? '') ?? []
    if (basic === undefined) throw new Refusal(401, 'a password is needed')
    const [, username = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString('utf8')) ?? []
    const hash = accounts.findFor(username, 'webdav', address)?.state.passwordHash
    const isRight = await passwords.isRight(username, hash, address, password).catch((error: Error) => {
      throw error instanceof TooMany ? new Refusal(503, error.message) : error
    })
    if (!isRight) throw new Refusal(401, 'the password is wrong')
    const account = accounts.findFor(username, 'webdav', address)
    if (!account) throw new Refusal(401, 'there is no such account')
    this.#enter(socket, username, address)
    this.#strangers.leave(socket)
    return account
  }

  /** Counts the connection as one of the account. What is changed meanwhile holds for its next request. */
  #enter(socket: Socket, username: string, address: string): void {
    const known = this.#sessions.get(socket)
    if (known?.username === username) return
    known?.leave()
    const session: WebdavSession = { username, busy: 0, leave: () => undefined }
    const end = () => {
      session.leave()
      this.#sessions.delete(socket)
      // Nothing has to end between two requests: the next one shows its password again.
      if (session.busy > 0) socket.destroy()
    }
    const leave = this.#options.accounts.enter(username, { door: 'webdav', address, end })
    if (!leave) throw new Refusal(503, 'the account has as many connections as it may have')
    session.leave = leave
    this.#sessions.set(socket, session)
    if (!known) socket.once('close', () => this.#sessions.get(socket)?.leave())
  }

  #refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const known = refusalOf(error)
    if (!known) this.#options.report('a request of WebDAV failed', { reason: (error as Error).message })
    const { status, message, condition } = known ?? new Refusal(500, 'this went wrong')
    if (response.headersSent || response.destroyed) {
      response.destroy()
      return
    }
    const xml = `<?xml version="1.0" encoding="utf-8"?><D:error xmlns:D="DAV:"><D:${condition}/></D:error>`
    const body = status === 304 ? '' : condition ? xml : `${message}\n`
    if (!request.complete) response.setHeader('Connection', 'close')
    if (status === 401) response.setHeader('WWW-Authenticate', 'Basic realm="Storage Box", charset="UTF-8"')
    response.writeHead(status, { 'Content-Type': condition ? 'application/xml; charset=utf-8' : 'text/plain' })
    response.end(request.method === 'HEAD' ? '' : body)
    // The rest of a body is taken, so that its sender reads why it was refused.
    request.resume()
  }
}
