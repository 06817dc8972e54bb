/**
 * The name server: authoritative for all zones of the installation, for the reverse zones of its addresses, and for the
 * default names of addresses. It is not recursive.
 */

import { listPools } from '../families/addresses/store.ts'
import type { ServedZone } from '../families/zones/host.ts'
import type { ZoneSettings } from '../families/zones/settings.ts'
import type { Database } from '../kernel/data/db.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import { tracer } from '../kernel/process/tracing.ts'
import { nextTurn } from '../kernel/process/turns.ts'
import type { Secrets } from '../kernel/secrets/secrets.ts'
import type { DefaultNames } from '../protocols/net/default-names.ts'
import type { NameKey } from '../protocols/net/dns/names.ts'
import { parseAddress } from '../protocols/net/ip.ts'
import type { ListenAddress } from '../protocols/net/listen-address.ts'
import { AddressNames } from './addresses.ts'
import type { Answering } from './answering.ts'
import { CatalogZone } from './catalog-zone.ts'
import { type Disturb, disturbed } from './disturbed.ts'
import { type Listener, listenForDns } from './listener.ts'
import { bareAnswer, maxUdpBytes, opcodes, type Query, queryTypes, rcodes, readQuery, writeAnswer } from './message.ts'
import { Registry } from './registry.ts'
import { type DnsClient, Responder } from './responder.ts'
import { defaultResponseRates, ResponseRateLimiter, type ResponseRates } from './response-rate.ts'
import { Secondaries, type Silent } from './secondaries.ts'
import { fitting, SignedQueries } from './signed-queries.ts'
import { usualSignatures } from './signing/allowance.ts'
import { OpenedKeys } from './signing/opened-keys.ts'
import { told, toldOfTransfer } from './told.ts'
import { tracedTransfer } from './traced.ts'
import { Notifier, type Secondary, transferMessages } from './transfer-out.ts'

export interface NameServerOptions {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly secrets: Secrets
  readonly settings: ZoneSettings
  readonly reverseDomain: string
  readonly defaultNames: DefaultNames
  /** Name servers that may transfer every zone and are notified of changes; none by default. */
  readonly transferTo?: readonly Secondary[]
  /** Limits of UDP answers to one network; `off` removes them. */
  readonly responseRates?: ResponseRates | 'off'
  /** Signatures per second for names that signed zones do not have. */
  readonly signatures?: number
  /** The maximum number of records of all zones together that are kept in memory. */
  readonly maxRecords?: number
  /** Lets it answer otherwise than usual. */
  readonly disturb?: Disturb
}

export interface NameServer {
  readonly host: string
  readonly port: number
  /** Polls for changes of other processes and checks due secondary zones; a timer does the same. */
  look(): Promise<void>
  /** Does the same for somebody who is not to be kept by primaries that do not answer. */
  hurry(silent: Silent): Promise<void>
  close(): Promise<void>
}

/** Poll intervals in milliseconds; changes of other processes exist only on a shared database. */
const lookMs = { shared: 500, alone: 5_000 }

/** Starts the name server; it answers queries once the promise resolves. */
export async function startNameServer(options: NameServerOptions, listen: ListenAddress): Promise<NameServer> {
  const server = new RunningNameServer(options)
  const { host, port } = await server.start(listen)
  return { host, port, look: () => server.look(), hurry: (silent) => server.hurry(silent), close: () => server.close() }
}

/** The parts of a name server, and what each tells the others. */
class RunningNameServer {
  readonly #options: NameServerOptions
  readonly #transferTo: readonly Secondary[]
  readonly #notifier: Notifier
  readonly #signed: SignedQueries
  readonly #addresses: AddressNames
  readonly #secondaries: Secondaries
  readonly #registry: Registry
  readonly #catalog: CatalogZone
  #listener: Listener | undefined
  #timer: NodeJS.Timeout | undefined
  #isStarted = false
  #isAway = false
  #closed: Promise<void> | undefined

  constructor(options: NameServerOptions) {
    const { db, clock, log, secrets, settings, reverseDomain, defaultNames, transferTo = [], maxRecords } = options
    this.#options = options
    this.#transferTo = transferTo
    this.#notifier = new Notifier(transferTo, { log, clock })
    const keys = transferTo.flatMap(({ key }) => key ?? [])
    this.#signed = new SignedQueries(keys, clock.now)
    this.#addresses = new AddressNames({ db, settings, defaultNames, now: clock.now })
    this.#secondaries = new Secondaries({ db, clock, log, secrets, settings })
    const opened = new OpenedKeys({ db, secrets })
    const registry = new Registry({
      db,
      keysOf: (zone) => opened.of(zone.id),
      nowMs: clock.now,
      ...(maxRecords === undefined ? {} : { maxRecords }),
      keepsChanges: transferTo.length > 0,
      onChange: (zone) => this.#onChange(zone),
      onMembership: () => this.#onMembership(),
      onAddress: (address) => this.#addresses.forget(address),
    })
    this.#registry = registry
    this.#catalog = new CatalogZone({ reverseDomain, settings, now: clock.now, zones: () => registry.zones() })
  }

  /** Reads what there is, and listens. */
  async start(listen: ListenAddress): Promise<Listener> {
    const { db, log } = this.#options
    await this.#registry.start()
    this.#isStarted = true
    this.#notifier.notify(this.#catalog.name)
    this.#addresses.serve(await listPools(db.query))
    this.#listener = await listenForDns(this.#answering(), listen, log).catch((error: unknown) => {
      this.#registry.stop()
      this.#notifier.close()
      throw error
    })
    const look = () => void this.look().catch((error: unknown) => this.#reportFailure(error))
    this.#timer = setInterval(look, db.dialect.shared ? lookMs.shared : lookMs.alone)
    return this.#listener
  }

  async look(): Promise<void> {
    await this.#registry.look()
    await this.#secondaries.run()
    this.#isAway = false
  }

  async hurry(silent: Silent): Promise<void> {
    await this.#registry.look()
    await this.#secondaries.hurry(silent)
  }

  close(): Promise<void> {
    this.#closed ??= this.#stop()
    return this.#closed
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#registry.stop()
    this.#notifier.close()
    await this.#listener?.close()
    await this.#secondaries.stop()
  }

  /** Logs a failure once for each outage of the database. */
  #reportFailure(error: unknown): void {
    if (!this.#isAway) this.#options.log.error({ err: error }, 'the name server could not look at the database')
    this.#isAway = true
  }

  /** Asks primaries that are due, without anybody who waits for them. */
  #checkSecondaries(): void {
    void this.#secondaries.run().catch((error: unknown) => this.#reportFailure(error))
  }

  // ---- Changes -----------------------------------------------------------------------------------------------------

  #onChange({ name, isSecondary }: ServedZone): void {
    this.#notifier.notify(name)
    // The primaries of the zone may have changed.
    if (isSecondary) this.#checkSecondaries()
  }

  #onMembership(): void {
    this.#catalog.change()
    if (this.#isStarted) this.#notifier.notify(this.#catalog.name)
  }

  async #onNotify(query: Query, address: string): Promise<Buffer | undefined> {
    await this.#registry.refresh().catch(() => undefined)
    const entry = this.#registry.find(query.name)
    const isOurs = entry?.key === query.name && entry.zone.isSecondary
    const isHeard = isOurs && (await this.#secondaries.hear(entry.zone.id, address))
    if (isHeard) this.#checkSecondaries()
    return writeAnswer(query, bareAnswer(isHeard ? rcodes.noError : rcodes.notAuthoritative, isHeard), maxUdpBytes)
  }

  // ---- Questions ---------------------------------------------------------------------------------------------------

  #answering(): Answering {
    const responder = new Responder({
      registry: this.#registry,
      addresses: this.#addresses,
      reserved: (name, client) => this.#reserved(name, client),
      onNotify: (query, address) => this.#onNotify(query, address),
      limiter: limiterFor(this.#options, this.#transferTo),
      nowMs: this.#options.clock.now,
      signatures: this.#options.signatures ?? usualSignatures,
    })
    const plain: Answering = {
      udp: (bytes, address) => this.#udp(responder, bytes, address),
      tcp: (bytes, address) => this.#tcp(responder, bytes, address),
    }
    const { disturb } = this.#options
    return told(disturb ? disturbed(plain, disturb) : plain)
  }

  async *#tcp(responder: Responder, bytes: Buffer, address: string): AsyncGenerator<Buffer> {
    const opened = this.#signed.open(bytes)
    if ('refusal' in opened) return yield opened.refusal
    const client = { address, key: opened.key }
    const query = readQuery(opened.bytes)
    const image = typeof query === 'object' && 'name' in query ? await this.#transferred(query, client) : undefined
    if (image) {
      for (const message of watched(query as Query, image, address)) {
        yield opened.seal(message)
        // To sign the next records takes a while.
        if (image.signer) await nextTurn()
      }
      return
    }
    const answer = await responder.tcp(opened.bytes, client)
    if (answer) yield opened.seal(answer)
  }

  #udp(responder: Responder, bytes: Buffer, address: string) {
    const opened = this.#signed.open(bytes)
    if ('refusal' in opened) return responder.refusing(opened.refusal, { address })
    const { key, seal } = opened
    const answer = responder.udp(opened.bytes, { address, key })
    if (!key) return answer
    const sealed = (one: Buffer | undefined) => one && fitting(opened.bytes, one, seal)
    return answer instanceof Promise ? answer.then(sealed) : sealed(answer)
  }

  /** Tells whether a client may transfer every zone: it has the address of a secondary, and its key if that has one. */
  #isTrusted({ address, key }: DnsClient): boolean {
    const parsed = parseAddress(address)
    if (!parsed.ok) return false
    return this.#transferTo.some((one) => one.address === parsed.address && (!one.key || one.key.name === key?.name))
  }

  /** The zone that lists all others, for those who may have it. */
  #reserved(name: NameKey, client: DnsClient) {
    return this.#transferTo.length > 0 && this.#isTrusted(client) ? this.#catalog.find(name) : undefined
  }

  /** The zone that a query asks to transfer, if the client may have it. */
  async #transferred({ type, name, opcode }: Query, client: DnsClient) {
    const isTransfer = opcode === opcodes.query && (type === queryTypes.axfr || type === queryTypes.ixfr)
    if (!isTransfer || !this.#isTrusted(client)) return undefined
    await this.#registry.refresh()
    const own = this.#reserved(name, client)
    if (own) return own.origin === name ? own : undefined
    const entry = this.#registry.find(name)
    if (entry?.key !== name || entry.zone.isStale) return undefined
    const image = await this.#registry.load(entry)
    return image.soa ? image : undefined
  }
}

/** Name servers that may transfer every zone are exempt from the rate limits. */
function limiterFor(
  { responseRates = defaultResponseRates, log }: NameServerOptions,
  transferTo: readonly Secondary[],
): ResponseRateLimiter | undefined {
  if (responseRates === 'off') return undefined
  const trusted = transferTo.map(({ address }) => `${address}/${address.includes(':') ? 128 : 32}`)
  const rates = { ...responseRates, exempt: [...responseRates.exempt, ...trusted] }
  const onLimit = (network: string) => log.warn({ network }, 'a network gets fewer DNS answers than it asks for')
  return new ResponseRateLimiter(rates, { onLimit })
}

/** The messages of a transfer to a secondary, of which metrics and traces are told. */
function watched(query: Query, image: Parameters<typeof transferMessages>[1], address: string): Iterable<Buffer> {
  const messages = toldOfTransfer(transferMessages(query, image))
  if (!tracer) return messages
  const type = query.type === queryTypes.ixfr ? 'IXFR' : 'AXFR'
  return tracedTransfer(tracer, { type, name: query.name, address }, messages)
}
