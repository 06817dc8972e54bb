/** DNS zones: names that can be zones, and what a zone is. Pure. */
import { parse } from 'tldts-icann'
import type { Labels } from '../../kernel/contract/labels.ts'
import { isBase64 } from '../../protocols/net/dns/svc-params.ts'
import type { TsigAlgorithm } from '../../protocols/net/dns/tsig-algorithms.ts'
import { isHostName, isLowerCase } from '../../protocols/net/hostnames.ts'
import { cidrContains, parseAddress } from '../../protocols/net/ip.ts'
import { isPrivateAddress } from '../../protocols/net/private-networks.ts'
import { isUnicodeLabel } from '../../protocols/net/punycode.ts'
import type { DelegationStatus } from './driver.ts'

export type ZoneMode = 'primary' | 'secondary'

/** A name server that a secondary zone is transferred from. */
export interface PrimaryNameserver {
  readonly address: string
  readonly port: number
  readonly tsigAlgorithm: TsigAlgorithm | null
  /** Base64. */
  readonly tsigKey: string | null
}

export interface Zone {
  readonly id: number
  readonly name: string
  readonly mode: ZoneMode
  /** TTL of RRSets without one of their own, in seconds. */
  readonly ttl: number
  readonly serial: number
  /** Grows with every change of what is in it, and with no other change. */
  readonly version: number
  /** Which of its contents is what is in it. */
  readonly contentId: number
  readonly recordCount: number
  /** Bytes of its records as lines of a zone file. */
  readonly textBytes: number
  readonly labels: Labels
  readonly isProtected: boolean
  readonly created: string
  readonly delegation: KnownDelegation
}

/** The last answer of its parent. */
interface KnownDelegation {
  readonly delegated: readonly string[]
  readonly status: DelegationStatus
  readonly checked: string | null
}

/** What is wrong with a name of a zone; undefined for a registrable name under a public suffix. */
export function zoneNameProblem(name: string): string | undefined {
  if (!isHostName(name) || !isLowerCase(name) || !name.split('.').every(isUnicodeLabel)) {
    return 'must be a domain name in lower case without a trailing dot; write an IDN in punycode'
  }
  const { domain, isIp, publicSuffix } = parse(name, { validateHostname: false })
  if (isIp || domain === null)
    return `must be a name under a public suffix such as ${publicSuffix ?? 'com'}, not one itself`
  return domain === name
    ? undefined
    : `must be a registrable name; records of a subdomain belong into the zone ${domain}`
}

/** The registrable part of a name that certificates can be for, wildcards among them; undefined when it has none. */
export function registrableName(domain: string): string | undefined {
  return parse(domain.replace(/^\*\./, ''), { validateHostname: false }).domain ?? undefined
}

/**
 * The serial after a change: the day and a number that grows within it (`YYYYMMDDnn`), and always more than the last one,
 * also when there are more than a hundred changes a day.
 */
export function nextSerial(serial: number, nowMs: number): number {
  const day = Number(new Date(nowMs).toISOString().slice(0, 10).replaceAll('-', ''))
  return Math.max(serial + 1, day * 100)
}

/** A primary name server as a request gives it. */
interface GivenNameserver {
  readonly address: string
  readonly port?: number | null
  readonly tsig_algorithm?: TsigAlgorithm | null
  readonly tsig_key?: string | null
}

/** Reads a primary name server; a string says what is wrong and begins with the field that it concerns. */
export function parseNameserver(
  given: GivenNameserver,
  allowedPrivate: readonly string[],
): PrimaryNameserver | { readonly field: string; readonly message: string } {
  const parsed = parseAddress(given.address)
  if (!parsed.ok) return { field: 'address', message: 'must be an IP address' }
  const { address } = parsed
  const isAllowed = allowedPrivate.some((network) => cidrContains(network, address))
  if (isPrivateAddress(address) && !isAllowed) return { field: 'address', message: 'must be a public address' }
  const { port, tsig_algorithm: algorithm, tsig_key: key } = given
  if ((algorithm ?? null) === null) {
    if ((key ?? null) !== null) return { field: 'tsig_algorithm', message: 'is required with a tsig_key' }
  } else if (!key || !isBase64(key))
    return { field: 'tsig_key', message: 'must be base64, and is required with a tsig_algorithm' }
  return { address, port: port ?? 53, tsigAlgorithm: algorithm ?? null, tsigKey: key ?? null }
}
