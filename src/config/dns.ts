/** Options of `wolke serve` for zones and the name server. */
import { InvalidArgumentError, Option } from 'commander'
import { defaultResponseRates, type ResponseRates } from '../dns/response-rate.ts'
import { usualSignatures } from '../dns/signing/allowance.ts'
import type { Secondary } from '../dns/transfer-out.ts'
import { defaultZoneLimits } from '../families/zones/limits.ts'
import { defaultTransferLimits, type ZoneSettings } from '../families/zones/settings.ts'
import { type AddressType, DefaultNames, formProblem, placeholders, usualForm } from '../protocols/net/default-names.ts'
import { keyName, parseTsigKeys } from '../protocols/net/dns/tsig-keys.ts'
import { isDnsName, isHostLabel, isLowerCase } from '../protocols/net/hostnames.ts'
import { parseAddress, parseCidr } from '../protocols/net/ip.ts'

/** A name server that may transfer zones, as the command line has it. */
interface GivenSecondary {
  readonly address: string
  readonly port: number
  /** The name of the key with which its messages are signed. */
  readonly key: string | undefined
}

export interface DnsConfig {
  readonly dnsTransferTo: readonly GivenSecondary[]
  readonly dnsTransferKeys?: string
  readonly dnsPrivatePrimaries: readonly string[]
  /** UDP responses per second: identical ones to one network (or `off`), and all responses to one network. */
  readonly dnsResponseRate: number | typeof off
  readonly dnsNetworkRate: number
  readonly dnsResponseSlip: number
  readonly dnsResponseExempt: readonly string[]
  /** Signatures per second for names that signed zones do not have. */
  readonly dnsSignatures: number
  /** The age in days at which keys of signed zones roll by themselves. */
  readonly dnssecKeyLifetime?: number
  /** The most zones that are transferred from their primaries at once: in total and for one Project. */
  readonly dnsTransfers: number
  readonly dnsTransfersPerProject: number
  /** Limits of a zone: number of records, and bytes of its zone file. */
  readonly zoneRecords: number
  readonly zoneBytes: number
  readonly nameservers?: readonly string[]
  readonly hostmaster?: string
  readonly reverseName: string
  readonly reverseNameIpv6?: string
}

const dayMs = 86_400_000
const shortestKeyDays = 30
const longestKeyDays = 36_500

/** The value `off` of an option; commander would turn undefined into an empty text. */
const off = 'off'

/** Parses an integer of at least 1. */
export function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a number of at least 1.')
  return Number(text)
}

/** Parses the lifetime of keys in days: a rollover takes 16 of them at least. */
function keyLifetime(text: string): number {
  const days = count(text)
  if (days >= shortestKeyDays && days <= longestKeyDays) return days
  throw new InvalidArgumentError(`Expected a number of days from ${shortestKeyDays} to ${longestKeyDays}.`)
}

/**
 * Parses the limit of a zone file. It must not exceed the import limit, or an exported zone could not be imported
 * again.
 */
function zoneBytes(text: string): number {
  const bytes = count(text)
  const most = defaultZoneLimits.textBytes
  if (bytes > most) throw new InvalidArgumentError(`Expected a number of at most ${most}.`)
  return bytes
}

/** Parses an integer of at least 1, or `off`. */
function countOrOff(text: string): number | typeof off {
  return text === off ? off : count(text)
}

/**
 * Parses the slip of response rate limiting: every n-th limited response is truncated instead of dropped; 0 drops all.
 */
function slip(text: string): number {
  if (!/^(10|\d)$/.test(text)) throw new InvalidArgumentError('Expected a number from 0 to 10.')
  return Number(text)
}

/** Parses CIDRs of any size. */
function networks(text: string): string[] {
  return text.split(',').map((part) => {
    const parsed = parseCidr(part.trim())
    if (!parsed.ok) throw new InvalidArgumentError(`${part.trim()}: ${parsed.message}.`)
    return parsed.cidr
  })
}

/** Parses name servers that may transfer zones, each with the name of its key if it has one. */
function secondaries(text: string): GivenSecondary[] {
  return text.split(',').map((part) => {
    const [, inBrackets, plain, port = '53', key] =
      /^(?:\[([^\]]+)\]|([^\]:=]+))(?::(\d{1,5}))?(?:=(.+))?$/.exec(part.trim()) ?? []
    const parsed = parseAddress(inBrackets ?? plain ?? part.trim())
    if (!parsed.ok || Number(port) < 1 || Number(port) > 65_535) {
      throw new InvalidArgumentError(`${part.trim()}: expected ADDRESS or ADDRESS:PORT, IPv6 in brackets, and =KEY.`)
    }
    return { address: parsed.address, port: Number(port), key }
  })
}

/**
 * The name servers that may transfer zones, with their keys. `keys` is the text of the file that has them. Throws an error that
 * says what is wrong.
 */
export function secondariesOf({ dnsTransferTo }: DnsConfig, keys: string): Secondary[] {
  const known = parseTsigKeys(keys)
  return dnsTransferTo.map(({ key: name, ...place }) => {
    const key = name === undefined ? undefined : known.get(keyName(name))
    if (name !== undefined && !key) throw new Error(`there is no key ${name}, which --dns-transfer-to names`)
    return { ...place, key }
  })
}

/** Parses a domain name and returns it with a trailing dot. Errors: `InvalidArgumentError`. */
export function absoluteName(text: string): string {
  const name = text.trim().replace(/\.$/, '')
  if (!isDnsName(name) || !isHostLabel(name.slice(name.lastIndexOf('.') + 1)) || !isLowerCase(name)) {
    throw new InvalidArgumentError(`${text}: expected a domain name in lower case.`)
  }
  return `${name}.`
}

function nameserverNames(text: string): string[] {
  const names = [...new Set(text.split(',').map(absoluteName))]
  if (names.length > 13) throw new InvalidArgumentError('Expected at most 13 names.')
  return names
}

function nameForm(type: AddressType): (text: string) => string {
  return (text) => {
    const problem = formProblem(text, type)
    if (problem) throw new InvalidArgumentError(`${text}: ${problem}.`)
    return text
  }
}

/** The options about name servers that have copies of zones. */
function transferOptions(): Option[] {
  return [
    new Option(
      '--dns-transfer-to <address,...>',
      'name servers (ADDRESS:PORT, and =KEY when signed) that may transfer every zone and are notified of changes',
    )
      .env('WOLKE_DNS_TRANSFER_TO')
      .argParser(secondaries)
      .default([], 'none'),
    new Option('--dns-transfer-keys <file>', 'TSIG keys of these name servers, as tsig-keygen prints them').env(
      'WOLKE_DNS_TRANSFER_KEYS',
    ),
  ]
}

/** The options behind {@link DnsConfig}. */
export function dnsOptions(): Option[] {
  return [
    ...transferOptions(),
    new Option('--dns-private-primaries <cidr,...>', 'private networks in which primaries of secondary zones may lie')
      .env('WOLKE_DNS_PRIVATE_PRIMARIES')
      .argParser(networks)
      .default([], 'none'),
    new Option('--dns-response-rate <n|off>', 'identical UDP responses per second to one network')
      .env('WOLKE_DNS_RESPONSE_RATE')
      .argParser(countOrOff)
      .default(defaultResponseRates.perAnswer),
    new Option('--dns-network-rate <n>', 'UDP responses per second to one network')
      .env('WOLKE_DNS_NETWORK_RATE')
      .argParser(count)
      .default(defaultResponseRates.perNetwork),
    new Option(
      '--dns-response-slip <n>',
      'truncate every n-th response over these limits and drop the others; 0: drop all',
    )
      .env('WOLKE_DNS_RESPONSE_SLIP')
      .argParser(slip)
      .default(defaultResponseRates.slip),
    new Option('--dns-response-exempt <cidr,...>', 'networks without response rate limits')
      .env('WOLKE_DNS_RESPONSE_EXEMPT')
      .argParser(networks)
      .default(defaultResponseRates.exempt, 'loopback'),
    ...signingOptions(),
    new Option('--dns-transfers <n>', 'secondary zones transferred at the same time')
      .env('WOLKE_DNS_TRANSFERS')
      .argParser(count)
      .default(defaultTransferLimits.inAll),
    new Option('--dns-transfers-per-project <n>', 'secondary zones of one Project transferred at the same time')
      .env('WOLKE_DNS_TRANSFERS_PER_PROJECT')
      .argParser(count)
      .default(defaultTransferLimits.perProject),
    new Option('--zone-records <n>', 'maximum number of records in a zone')
      .env('WOLKE_ZONE_RECORDS')
      .argParser(count)
      .default(defaultZoneLimits.records),
    new Option('--zone-bytes <n>', 'maximum size of a zone file in bytes')
      .env('WOLKE_ZONE_BYTES')
      .argParser(zoneBytes)
      .default(defaultZoneLimits.textBytes),
    new Option(
      '--nameservers <name,...>',
      'names of the name servers of every zone (default: ns1, ns2 and ns3 of --reverse-domain)',
    )
      .env('WOLKE_NAMESERVERS')
      .argParser(nameserverNames),
    new Option(
      '--hostmaster <name>',
      'mailbox in SOA records, with a dot for the @ (default: hostmaster of --reverse-domain)',
    )
      .env('WOLKE_HOSTMASTER')
      .argParser(absoluteName),
  ]
}

/** The options about signed zones. */
function signingOptions(): Option[] {
  return [
    new Option('--dns-signatures <n>', 'signatures per second for names that signed zones do not have')
      .env('WOLKE_DNS_SIGNATURES')
      .argParser(count)
      .default(usualSignatures),
    new Option('--dnssec-key-lifetime <days>', 'age at which keys of signed zones roll by themselves (default: never)')
      .env('WOLKE_DNSSEC_KEY_LIFETIME')
      .argParser(keyLifetime),
  ]
}

/** The options about default reverse names. */
export function reverseNameOptions(): Option[] {
  return [
    new Option('--reverse-name <form>', `form of default reverse names of IPv4: ${placeholders('ipv4')}, {domain}`)
      .env('WOLKE_REVERSE_NAME')
      .argParser(nameForm('ipv4'))
      .default(usualForm),
    new Option(
      '--reverse-name-ipv6 <form>',
      `form of default reverse names in IPv6 networks: ${placeholders('ipv6')}, {domain} (default: none)`,
    )
      .env('WOLKE_REVERSE_NAME_IPV6')
      .argParser(nameForm('ipv6')),
  ]
}

/** The reverse names of addresses that were given no others. */
export function defaultNamesOf({ reverseName: ipv4, reverseNameIpv6: ipv6 }: DnsConfig, domain: string): DefaultNames {
  return new DefaultNames({ domain, ipv4, ipv6 })
}

/** The zone settings that the options set explicitly. */
export function givenZoneSettings(config: DnsConfig): Partial<ZoneSettings> {
  const { nameservers, hostmaster, dnsPrivatePrimaries, zoneRecords, zoneBytes, dnssecKeyLifetime } = config
  return {
    privatePrimaries: dnsPrivatePrimaries,
    limits: { records: zoneRecords, textBytes: zoneBytes },
    transfers: { inAll: config.dnsTransfers, perProject: config.dnsTransfersPerProject },
    ...(dnssecKeyLifetime === undefined ? {} : { keyLifetimeMs: dnssecKeyLifetime * dayMs }),
    ...(nameservers ? { nameservers } : {}),
    ...(hostmaster === undefined ? {} : { hostmaster }),
  }
}

/** The response rate limits of the name server. */
export function responseRates(config: DnsConfig): ResponseRates | 'off' {
  const { dnsResponseRate, dnsNetworkRate: perNetwork, dnsResponseSlip: slip, dnsResponseExempt: exempt } = config
  return dnsResponseRate === off ? off : { perAnswer: dnsResponseRate, perNetwork, slip, exempt }
}
