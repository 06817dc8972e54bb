/**
 * The name server: authoritative for all zones of the installation, for the reverse zones of its addresses, and for the
 * default names of addresses. It is not recursive.
 */

import { listPools } from '../families/addresses/store.ts'
import type { ZoneSettings } from '../families/zones/settings.ts'
import type { Database } from '../kernel/data/db.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { Secrets } from '../kernel/secrets/secrets.ts'
import type { DefaultNames } from '../protocols/net/default-names.ts'
import type { NameKey } from '../protocols/net/dns/names.ts'
import { parseAddress } from '../protocols/net/ip.ts'
import type { ListenAddress } from '../protocols/net/listen-address.ts'
import { AddressNames } from './addresses.ts'
import { CatalogZone } from './catalog-zone.ts'
import { type Listener, listenForDns } from './listener.ts'
import { bareAnswer, maxUdpBytes, opcodes, type Query, queryTypes, rcodes, readQuery, writeAnswer } from './message.ts'
import { Registry } from './registry.ts'
import { Responder } from './responder.ts'
import { defaultResponseRates, ResponseRateLimiter, type ResponseRates } from './response-rate.ts'
import { Secondaries } from './secondaries.ts'
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
  /** The maximum number of records of all zones together that are kept in memory. */
  readonly maxRecords?: number
}

export interface NameServer {
  readonly host: string
  readonly port: number
  /** Polls for changes of other processes and checks due secondary zones; a timer does the same. */
  look(): Promise<void>
  close(): Promise<void>
}

/** Poll intervals in milliseconds; changes of other processes exist only on a shared database. */
const lookMs = { shared: 500, alone: 5_000 }

/** Starts the name server; it answers queries once the promise resolves. */
export async function startNameServer(options: NameServerOptions, listen: ListenAddress): Promise<NameServer> {
  const { db, clock, log, secrets, settings, reverseDomain, defaultNames, transferTo = [] } = options
  const addresses = new AddressNames({ db, settings, defaultNames, now: clock.now })
  const notifier = new Notifier(transferTo, log)
  const catalog = new CatalogZone({ reverseDomain, settings, now: clock.now, zones: () => registry.zones() })
  const secondaries = new Secondaries({ db, clock, log, secrets, settings })
  const registry = new Registry({
    db,
    ...(options.maxRecords === undefined ? {} : { maxRecords: options.maxRecords }),
    onChange: ({ name, isSecondary }) => {
      notifier.notify(name)
      // The primaries of the zone may have changed.
      if (isSecondary) void run()
    },
    onMembership: () => {
      catalog.change()
      if (isStarted) notifier.notify(catalog.name)
    },
    onAddress: (address) => addresses.forget(address),
  })
  let isStarted = false
  let isAway = false
  /** Logs a failure once for each outage of the database. */
  const reportFailure = (error: unknown) => {
    if (!isAway) log.error({ err: error }, 'the name server could not look at the database')
    isAway = true
  }
  const run = () => secondaries.run().catch(reportFailure)
  await registry.start()
  isStarted = true
  notifier.notify(catalog.name)
  addresses.serve(await listPools(db.query))
  const responder = new Responder({ registry, addresses, reserved, onNotify, limiter: limiterFor(options, transferTo) })
  const answering = { udp: (bytes: Buffer, address: string) => responder.udp(bytes, address), tcp }
  const listener = await listenForDns(answering, listen, log).catch((error: unknown) => {
    registry.stop()
    notifier.close()
    throw error
  })
  const look = async () => {
    await registry.look()
    await secondaries.run()
    isAway = false
  }
  let closed: Promise<void> | undefined
  const timer = setInterval(() => void look().catch(reportFailure), db.dialect.shared ? lookMs.shared : lookMs.alone)
  return { ...placeOf(listener), look, close }

  async function onNotify(query: Query, address: string): Promise<Buffer | undefined> {
    await registry.refresh().catch(() => undefined)
    const entry = registry.find(query.name)
    const isOurs = entry?.key === query.name && entry.zone.isSecondary
    const isHeard = isOurs && (await secondaries.hear(entry.zone.id, address))
    if (isHeard) void run()
    return writeAnswer(query, bareAnswer(isHeard ? rcodes.noError : rcodes.notAuthoritative, isHeard), maxUdpBytes)
  }

  async function* tcp(bytes: Buffer, address: string): AsyncGenerator<Buffer> {
    const query = readQuery(bytes)
    const image = typeof query === 'object' && 'name' in query ? await transferred(query, address) : undefined
    if (image) return yield* transferMessages(query as Query, image)
    const answer = await responder.tcp(bytes, address)
    if (answer) yield answer
  }

  function isTrusted(address: string): boolean {
    const parsed = parseAddress(address)
    return parsed.ok && transferTo.some((one) => one.address === parsed.address)
  }

  function reserved(name: NameKey, address: string) {
    return transferTo.length > 0 && isTrusted(address) ? catalog.find(name) : undefined
  }

  /** The zone that a query asks to transfer, if the client may have it. */
  async function transferred({ type, name, opcode }: Query, address: string) {
    const isTransfer = opcode === opcodes.query && (type === queryTypes.axfr || type === queryTypes.ixfr)
    if (!isTransfer || !isTrusted(address)) return undefined
    await registry.refresh()
    const own = reserved(name, address)
    if (own) return own.origin === name ? own : undefined
    const entry = registry.find(name)
    if (entry?.key !== name || entry.zone.isStale) return undefined
    const image = await registry.load(entry)
    return image.soa ? image : undefined
  }

  function close(): Promise<void> {
    closed ??= stop()
    return closed
  }

  async function stop(): Promise<void> {
    clearInterval(timer)
    registry.stop()
    notifier.close()
    await listener.close()
    await secondaries.stop()
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

const placeOf = ({ host, port }: Listener) => ({ host, port })
