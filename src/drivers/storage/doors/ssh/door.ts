/** The SSH door: connections, logins, and what each session asks for. */
import { createServer, type Server, type Socket } from 'node:net'
import type { Connection, ServerChannel, Session, Server as SshServer } from 'ssh2'
import { FairQueue } from '../../../../kernel/process/fair-queue.ts'
import type { Accounts } from '../accounts.ts'
import { listenAt } from '../listening.ts'
import { networkOf } from '../networks.ts'
import type { Passwords } from '../passwords.ts'
import { writeTogether } from '../together.ts'
import { attend, isOverrun } from './channels.ts'
import { ciphers, noteMismatch, offerFastest } from './ciphers.ts'
import { ssh2 } from './library.ts'
import { Login } from './login.ts'
import { Patience } from './patience.ts'

/** These serve an account once it is in. */
export interface SshServices {
  sftp(channel: ServerChannel, username: string): void
  exec(channel: ServerChannel, username: string, command: string): void
}

export interface SshDoorOptions {
  readonly accounts: Accounts
  readonly passwords: Passwords
  /** Private keys as text, the preferred one first. */
  readonly hostKeys: readonly string[]
  readonly services: SshServices
  readonly report: (message: string, fields: object) => void
}

/** Connections that log in: at once, and of one network. The others wait before anything is computed for them. */
const loginsAtOnce = 24
const loginsOfNetwork = 8
const patienceMs = 30_000
/** A client has to say its version and to have keys, which it does without anybody who thinks. */
const handshake = { ms: 10_000, silentMs: 2_000 }
/** Then somebody may have to type a password. */
const login = { ms: 60_000, silentMs: 20_000 }
/** Sessions of one connection. */
const mostChannels = 10

export class SshDoor {
  readonly #options: SshDoorOptions
  readonly #ssh: SshServer
  readonly #listener: Server
  readonly #sockets = new Set<Socket>()
  /** These get the connection that the library makes of a socket, once its client has said which version it speaks. */
  readonly #expected = new WeakMap<Socket, (connection: Connection) => void>()
  readonly #logins = new FairQueue<string>({
    atOnce: loginsAtOnce,
    perKey: loginsOfNetwork,
    patience: { ms: patienceMs, error: () => new Error('too many connections log in') },
  })

  constructor(options: SshDoorOptions) {
    this.#options = options
    // What is compressed could be a thousand times as long, and has to be inflated before anybody knows who has sent it.
    const algorithms = { cipher: [...ciphers], compress: ['none' as const] }
    this.#ssh = new ssh2.Server({ hostKeys: [...options.hostKeys], algorithms, ident: 'Wolke' })
    this.#ssh.on('connection', (connection: Connection & { readonly _sock?: Socket }, { ip, header }) => {
      offerFastest(connection, header.versions.software, ip)
      const { _sock: socket } = connection
      if (socket) this.#expected.get(socket)?.(connection)
    })
    this.#listener = createServer({ noDelay: true }, (socket) => void this.#welcome(socket))
  }

  /** Opens the door; resolves with its port. Errors: of the socket. */
  listen(port: number, host: string): Promise<number> {
    return listenAt(this.#listener, port, host, this.#options.report)
  }

  close(): void {
    this.#listener.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #welcome(socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    const network = networkOf(socket.remoteAddress ?? '')
    try {
      await this.#logins.enter(network)
    } catch {
      socket.destroy()
      return
    }
    const leave = once(() => this.#logins.leave(network))
    if (socket.destroyed) return leave()
    socket.once('close', leave)
    this.#greet(socket, leave)
  }

  #greet(socket: Socket, onLogin: () => void): void {
    const network = networkOf(socket.remoteAddress ?? '')
    const patience = new Patience(socket, () => this.#logins.isAwaited(network))
    patience.begin(handshake)
    this.#expected.set(socket, (connection) => {
      const answers = new Login({ ...this.#options, address: socket.remoteAddress ?? '' })
      let username = ''
      connection.on('error', ({ level }: Error & { level?: string }) => {
        if (level === 'handshake') noteMismatch(socket.remoteAddress ?? '')
        socket.destroy()
      })
      connection.once('handshake', () => patience.begin(login))
      connection.on('authentication', (context) => {
        username = context.username
        const answer = answers.answer(context, () => socket.destroy())
        patience.answered(answer).catch((error: Error) => {
          this.#options.report('a login failed', { reason: error.message })
          context.reject()
        })
      })
      connection.once('ready', () => {
        patience.end()
        onLogin()
        this.#admit(connection, socket, username)
      })
    })
    writeTogether(socket)
    this.#ssh.injectSocket(socket)
  }

  #admit(connection: Connection, socket: Socket, username: string): void {
    const { accounts } = this.#options
    const address = socket.remoteAddress ?? ''
    const end = () => {
      connection.end()
      socket.destroySoon()
    }
    const leave = accounts.enter(username, { door: 'ssh', address, end })
    // The account may have lost its rights while the password was checked.
    if (!leave || !accounts.findFor(username, 'ssh', address)) {
      leave?.()
      end()
      return
    }
    socket.once('close', leave)
    const open = new Map<Session, ServerChannel | undefined>()
    connection.on('session', (accept, reject) => {
      if (open.size >= mostChannels) return reject()
      const session = accept()
      open.set(session, undefined)
      session.once('close', () => open.delete(session))
      this.#serve(session, username, (channel) => open.set(session, channel))
    })
    // The library takes what a client sends beyond what it was allowed to, however much that is.
    socket.on('data', () => {
      for (const channel of open.values()) if (channel && isOverrun(channel)) socket.destroy()
    })
    // Whoever says nothing more hears nothing more either.
    socket.once('end', () => socket.destroy())
    // The library closes a session when its client says so, and none when the connection has gone.
    socket.once('close', () => {
      for (const session of open.keys()) session.emit('close')
    })
  }

  #serve(session: Session, username: string, onChannel: Work): void {
    const { services } = this.#options
    session.on('env', (accept) => accept?.())
    // A terminal makes no difference to programs that have none.
    session.on('pty', (accept) => accept?.())
    const begin = (accept: () => ServerChannel | undefined, reject: (() => void) | undefined, work: Work) => {
      const channel = accept()
      // A session that has begun something begins nothing else.
      if (!channel) return reject?.()
      attend(channel, session)
      onChannel(channel)
      work(channel)
    }
    session.on('subsystem', (accept, reject, { name }) => {
      if (name !== 'sftp') return reject?.()
      begin(accept, reject, (channel) => services.sftp(channel, username))
    })
    session.on('exec', (accept, reject, { command }) => {
      begin(accept, reject, (channel) => services.exec(channel, username, command))
    })
    session.on('shell', (accept, reject) => begin(accept, reject, (channel) => services.exec(channel, username, '')))
  }
}

type Work = (channel: ServerChannel) => void

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) work()
    isDone = true
  }
}
