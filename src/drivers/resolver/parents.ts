/**
 * Asks the parents of zones to whom they delegate them, and our name servers whether they answer for them. A resolver finds
 * the servers of the parent; these are asked themselves, because a resolver tells what the zone says of itself.
 */
import type { Resolver } from 'node:dns/promises'
import type { ParentDs, ZonesDriver } from '../../families/zones/driver.ts'
import { DriverError } from '../../kernel/actions/define.ts'
import { nameOf, printName } from '../../protocols/net/dns/names.ts'
import { recordTypes } from '../../protocols/net/dns/rdata.ts'
import { readName } from '../../protocols/net/dns/wire.ts'
import { canonical, type DelegationOptions, openResolver } from './delegation.ts'
import { askServer, type ServerAnswer } from './question.ts'

const { DS, NS, SOA } = recordTypes
const rcodes = { noError: 0, nameError: 3 }
/** The number of servers of a parent that are asked before nobody answers. */
const mostParents = 3
/** No zone has more name servers. */
const mostServers = 13
/** TTL and length stand before the data of a record, in bytes. */
const ttlBeforeData = 6

/** Creates the driver without sending any query. */
export function askingParents({ resolver, port = 53 }: Pick<DelegationOptions, 'resolver' | 'port'>): ZonesDriver {
  const outside = openResolver(resolver === undefined ? [] : [resolver])

  /** Tells whether one of our name servers answers for a zone. Others are not asked, because tenants choose them. */
  const isServedBy = async (name: string, zone: string) => {
    const addresses = await addressesOf(outside, name)
    const answers = await Promise.all(
      addresses.map((address) => askServer({ address, port }, { name: zone, type: SOA.code })),
    )
    return answers.some((answer) => answer?.isAuthoritative && answer.answer.some(({ type }) => type === SOA.code))
  }

  return {
    async delegationOf({ name: zone, assigned }) {
      const ours = new Set(assigned.map(canonical))
      const names = await delegatedBy(outside, zone, port)
      const delegated = names.map((name) => `${name}.`).sort()
      if (names.length === 0) return { delegated, status: 'unregistered' }
      const here = names.filter((name) => ours.has(name))
      if (here.length === 0) return { delegated, status: 'invalid' }
      const served = await Promise.all(here.map((name) => isServedBy(name, zone)))
      const answering = served.filter(Boolean).length
      if (answering === 0) return { delegated, status: 'lame' }
      const isWhole = answering === ours.size && names.length === ours.size
      return { delegated, status: isWhole ? 'valid' : 'partially-valid' }
    },
    dsOf: (zone) => dsAbove(outside, zone, port),
  }
}

const silent = (cause?: unknown) =>
  new DriverError('the parent of the zone did not answer', { transient: true, code: 'timeout', cause })

/** The names of the servers to which the parent delegates a zone. Errors: a transient `DriverError` when nobody answers. */
async function delegatedBy(outside: Resolver, zone: string, port: number): Promise<string[]> {
  const parents = await parentServers(outside, zone)
  if (parents === 'missing') return []
  for (const server of parents.slice(0, mostParents)) {
    for (const address of await addressesOf(outside, server)) {
      const answer = await askServer({ address, port }, { name: zone, type: NS.code })
      const names = answer && namesIn(answer, zone)
      if (names) return names
    }
  }
  throw silent()
}

/**
 * The DS records of a zone as all name servers of its parent have them that answer: what one of them has not got yet is not relied
 * on. Errors: a transient `DriverError` when nobody answers, or not all say the same.
 */
async function dsAbove(outside: Resolver, zone: string, port: number): Promise<ParentDs> {
  const parents = await parentServers(outside, zone)
  if (parents === 'missing') return { ds: [], ttlMs: undefined }
  const addresses = await Promise.all(parents.slice(0, mostServers).map((server) => addressesOf(outside, server)))
  const asked = await Promise.all(
    addresses.flat().map((address) => askServer({ address, port }, { name: zone, type: DS.code })),
  )
  const found = asked.flatMap((answer) => (answer && dsIn(answer, zone)) ?? [])
  const [first, ...others] = found
  if (!first) throw silent()
  if (others.some((other) => textOf(other) !== textOf(first))) {
    throw new DriverError('the name servers of the parent do not say the same', { transient: true, code: 'timeout' })
  }
  const ttls = found.flatMap(({ ttlMs }) => ttlMs ?? [])
  return { ds: first.ds, ttlMs: ttls.length > 0 ? Math.max(...ttls) : undefined }
}

const textOf = ({ ds }: ParentDs) =>
  ds
    .map((data) => data.toString('hex'))
    .sort()
    .join(' ')

/** The DS records of a zone in an answer of its parent; undefined when it does not say. */
function dsIn({ rcode, isAuthoritative, answer, message }: ServerAnswer, zone: string): ParentDs | undefined {
  if (rcode === rcodes.nameError) return { ds: [], ttlMs: undefined }
  if (rcode !== rcodes.noError || !isAuthoritative) return undefined
  const key = nameOf(zone)
  const records = answer.filter(({ type, owner }) => type === DS.code && owner === key)
  const ttls = records.map(({ dataAt }) => message.readUInt32BE(dataAt - ttlBeforeData))
  return {
    ds: records.map(({ dataAt, dataEnd }) => Buffer.from(message.subarray(dataAt, dataEnd))),
    ttlMs: ttls.length > 0 ? 1_000 * Math.max(...ttls) : undefined,
  }
}

/** The names of the name servers of the closest zone above another one; `missing` where its name cannot exist. */
async function parentServers(outside: Resolver, zone: string): Promise<readonly string[] | 'missing'> {
  for (let at = parentOf(zone); ; at = parentOf(at)) {
    try {
      return shuffled(await outside.resolveNs(at))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Below a name that does not exist there is nothing (RFC 8020).
      if (code === 'ENOTFOUND') return 'missing'
      if (code !== 'ENODATA' || at === '.') throw silent(error)
    }
  }
}

const parentOf = (name: string) => name.slice(name.indexOf('.') + 1) || '.'

/** The NS records of a zone in an answer of its parent; empty when it has none, undefined when it does not say. */
function namesIn({ rcode, isAuthoritative, answer, authority, message }: ServerAnswer, zone: string) {
  if (rcode === rcodes.nameError) return []
  if (rcode !== rcodes.noError) return undefined
  const key = nameOf(zone)
  const found = [...answer, ...authority].filter(({ type, owner }) => type === NS.code && owner === key)
  const names = found.map(({ dataAt }) => readName(message, dataAt)).filter((name) => name !== undefined)
  if (names.length > 0) return [...new Set(names.map((name) => canonical(printName(name))))]
  return isAuthoritative ? [] : undefined
}

/** The addresses of a name server; none when it has none or nobody answers. */
async function addressesOf(outside: Resolver, name: string): Promise<string[]> {
  const lookups = await Promise.allSettled([outside.resolve4(name), outside.resolve6(name)])
  return lookups.flatMap((found) => (found.status === 'fulfilled' ? found.value : []))
}

function shuffled(names: readonly string[]): string[] {
  return names
    .map((name) => [Math.random(), name] as const)
    .sort(([one], [other]) => one - other)
    .map(([, name]) => name)
}
