/**
 * Consoles: whoever has the address and the password that a request was answered with sees the screen of a server and
 * types on its keyboard, as VNC over a WebSocket, as long as whoever asked for it may ask for one. The driver connects to the
 * machine; who may connect, and until when, is decided here, for every driver alike.
 */
import { randomBytes } from 'node:crypto'
import { type Duplex, pipeline } from 'node:stream'
import { recall } from '../families/servers/desired.ts'
import { locationOfServer } from '../families/servers/reads.ts'
import { consoleEndpoints } from '../families/servers/screens/contract.ts'
import { consolePath } from '../families/servers/screens/domain.ts'
import { type OpenedSession, serversInForce, takeSession } from '../families/servers/screens/host.ts'
import { passwordPlace } from '../families/servers/screens/store.ts'
import type { Claim, Standing } from '../kernel/access/standing.ts'
import { DriverError, type Drivers } from '../kernel/actions/define.ts'
import { inTime } from '../kernel/actions/in-time.ts'
import type { Database } from '../kernel/data/db.ts'
import { ApiError } from '../kernel/errors.ts'
import type { SocketPath } from '../kernel/http/streams/web-sockets.ts'
import { timestamp } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import { type Share, Shares } from '../kernel/process/shares.ts'
import type { Secrets } from '../kernel/secrets/secrets.ts'
import { RfbHandshake } from '../protocols/net/rfb.ts'

export interface ConsoleOptions {
  readonly db: Database
  readonly drivers: Drivers
  readonly secrets: Secrets
  readonly log: Logger
  readonly standing: Standing
}

const maxViewers = 500
const maxViewersOfProject = 50
const maxViewersOfServer = 8
const handshakeMs = 30_000
/** The time a driver has to show a machine, unless its calls may take longer. */
const callTimeoutMs = 60_000
/** The interval at which the process checks that the servers with viewers still run. */
const watchMs = 1_000

/** Somebody who looks at a server. */
interface Viewer {
  readonly session: OpenedSession
  readonly stream: Duplex
  /** The generation of the server that this process has last seen in force. */
  generation: number
}

/** Opens consoles on their path. */
export function consoleSocket(options: ConsoleOptions): SocketPath {
  const viewers = new Viewers(options)
  return {
    path: consolePath,
    async admit(query) {
      const session = await openSession(options, query.get('token') ?? '')
      const { generation } = await viewers.judge(session)
      const password = await passwordOf(options, session)
      return (stream) => viewers.add({ session, stream, generation }, password)
    },
  }
}

/** Errors: `unauthorized`. */
async function openSession({ db, standing }: ConsoleOptions, token: string): Promise<OpenedSession> {
  const session = await db.transact((tx) => takeSession(tx, token, timestamp(tx.now)))
  if (session && (await standing.holds(claimOf(session)))) return session
  throw new ApiError(
    'unauthorized',
    'the console is unknown, was opened before or not within a minute, or whoever asked for it has no right to it any more',
  )
}

/** Whoever asked for a console has to be let to ask for it, as long as it is open. */
function claimOf({ asker, scope: { projectId }, serverId }: OpenedSession): Claim {
  return { asker, projectId, guard: consoleEndpoints.requestConsole, about: { type: 'server', id: serverId } }
}

/** Returns the limits that a viewer of a server counts against. */
function sharesOf({ scope: { projectId }, serverId }: OpenedSession): Share[] {
  return [
    { of: `server ${serverId}`, most: maxViewersOfServer },
    { of: `Project ${projectId}`, most: maxViewersOfProject },
    { of: 'this process', most: maxViewers },
  ]
}

function passwordOf({ db, secrets }: ConsoleOptions, { id, scope, password }: OpenedSession): Promise<string> {
  return secrets.open(db.query, scope, passwordPlace(id), password)
}

/** Everybody who looks at a server through this process. */
class Viewers {
  readonly #options: ConsoleOptions
  readonly #viewers = new Set<Viewer>()
  readonly #shares = new Shares()
  #isWatching = false

  constructor(options: ConsoleOptions) {
    this.#options = options
  }

  /** Returns the state in force of the server. Errors: `rate_limit_exceeded`, `service_error` when it does not run. */
  async judge(session: OpenedSession): Promise<{ generation: number }> {
    const inForce = (await serversInForce(this.#options.db.query, [session.serverId])).get(session.serverId)
    const full = this.#shares.full(sharesOf(session))
    if (full) throw new ApiError('rate_limit_exceeded', `${full.of} cannot have more than ${full.most} open consoles`)
    if (!inForce?.isOn) throw new ApiError('service_error', 'server is not running')
    return inForce
  }

  /** Connects a viewer to its server until one of them ends, or whoever asked for it loses the right to it. */
  add(viewer: Viewer, password: string): void {
    const { session, stream } = viewer
    // Several may have been admitted to the last place.
    if (this.#shares.full(sharesOf(session))) return void stream.end()
    const giveBack = this.#shares.take(sharesOf(session))
    const unwatch = this.#options.standing.watch(claimOf(session), () => void stream.destroy())
    this.#viewers.add(viewer)
    stream.once('close', () => {
      this.#viewers.delete(viewer)
      giveBack()
      unwatch()
    })
    this.#watch()
    this.#connect(viewer, password).catch((cause: unknown) => {
      this.#options.log.warn({ err: cause, server: session.serverId }, 'a console could not be opened')
      stream.end()
    })
  }

  async #connect({ session: { scope, serverId }, stream }: Viewer, password: string): Promise<void> {
    if (!(await authenticate(stream, password))) return
    const { db, drivers, secrets } = this.#options
    const connect = async () => {
      await recall({ query: db.query, scope, drivers, secrets }, [serverId])
      const location = await locationOfServer(db.query, scope, serverId)
      if (location === undefined) throw new DriverError('the server no longer exists', { transient: false })
      const machine = await drivers.console.open(serverId, location)
      // The viewer may have gone, or have been sent away because this took too long.
      if (stream.destroyed || stream.writableEnded) machine.destroy()
      return machine
    }
    const machine = (await inTime(connect(), this.#callTimeoutMs)) as Duplex
    if (machine.destroyed) return
    // Either end takes the other along, whatever it ends with.
    pipeline(stream, machine, () => undefined)
    pipeline(machine, stream, () => undefined)
  }

  get #callTimeoutMs(): number {
    return this.#options.drivers.callTimeoutMs ?? callTimeoutMs
  }

  /** Looks again and again, as long as anybody looks at a server. */
  #watch(): void {
    if (this.#isWatching || this.#viewers.size === 0) return
    this.#isWatching = true
    const look = async () => {
      await this.#look()
      this.#isWatching = false
      this.#watch()
    }
    // The connections of the viewers keep the process alive, not the watch.
    setTimeout(() => void look(), watchMs).unref()
  }

  /** Ends consoles of servers that no longer run, and tells a driver in memory what other processes have changed. */
  async #look(): Promise<void> {
    // Nothing is asked about the servers of those who come meanwhile.
    const viewers = [...this.#viewers]
    const ids = [...new Set(viewers.map(({ session }) => session.serverId))]
    if (ids.length === 0) return
    try {
      const inForce = await serversInForce(this.#options.db.query, ids)
      await Promise.all(viewers.map((viewer) => this.#follow(viewer, inForce.get(viewer.session.serverId))))
    } catch (cause) {
      this.#options.log.warn({ err: cause }, 'servers that are looked at could not be watched')
    }
  }

  async #follow(viewer: Viewer, inForce: { isOn: boolean; generation: number } | undefined): Promise<void> {
    const { session, stream } = viewer
    if (!inForce?.isOn) return void stream.end()
    if (inForce.generation === viewer.generation) return
    const { db, drivers, secrets } = this.#options
    await inTime(
      recall({ query: db.query, scope: session.scope, drivers, secrets }, [session.serverId]),
      this.#callTimeoutMs,
    )
    viewer.generation = inForce.generation
  }
}

/** Lets a peer in that knows the password; others are told why not, and closed. */
async function authenticate(stream: Duplex, password: string): Promise<boolean> {
  const handshake = new RfbHandshake(password, randomBytes(16))
  const timer = setTimeout(() => stream.destroy(), handshakeMs)
  try {
    stream.write(handshake.greeting)
    for await (const bytes of stream.iterator({ destroyOnReturn: false })) {
      const { send, outcome } = handshake.feed(bytes as Buffer)
      stream.write(send)
      if (outcome === 'refused') stream.end()
      if (outcome === 'open') stream.unshift(handshake.rest)
      if (outcome !== 'pending') return outcome === 'open'
    }
    return false
  } catch {
    // The peer has gone.
    return false
  } finally {
    clearTimeout(timer)
  }
}
