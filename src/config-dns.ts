/** The options of `wolke serve` about zones and the name server. */
import { InvalidArgumentError, Option } from 'commander'
import { defaultResponseRates, type ResponseRates } from './dns/response-rate.ts'
import { defaultZoneLimits } from './families/zones/limits.ts'
import { defaultTransferLimits, type ZoneSettings } from './families/zones/settings.ts'
import { isDnsName, isHostLabel, isLowerCase } from './net/hostnames.ts'
import { parseAddress, parseCidr } from './net/ip.ts'

export interface DnsConfig {
  readonly dnsTransferTo: readonly { readonly address: string; readonly port: number }[]
  readonly dnsPrivatePrimaries: readonly string[]
  /** Answers a second over UDP: of one kind to one network or no limit, and of all kinds. */
  readonly dnsResponseRate: number | typeof off
  readonly dnsNetworkRate: number
  readonly dnsResponseSlip: number
  readonly dnsResponseExempt: readonly string[]
  /** How many zones are transferred from their primaries at once: in all, and to one Project. */
  readonly dnsTransfers: number
  readonly dnsTransfersPerProject: number
  /** Most records of a zone, and most bytes of it as text. */
  readonly zoneRecords: number
  readonly zoneBytes: number
  readonly nameservers?: readonly string[]
  readonly hostmaster?: string
}

/** What `off` means for an option; commander would turn undefined into an empty text. */
const off = 'off'

/** A number from 1 up. */
export function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Expected a number of at least 1.')
  return Number(text)
}

/** A larger zone could not be imported again from its export. */
function zoneBytes(text: string): number {
  const bytes = count(text)
  const most = defaultZoneLimits.textBytes
  if (bytes > most) throw new InvalidArgumentError(`Expected a number of at most ${most}.`)
  return bytes
}

/** A number from 1 up, or none. */
function countOrOff(text: string): number | typeof off {
  return text === off ? off : count(text)
}

/** Which of those over a limit are truncated: each, each second, ... or none. */
function slip(text: string): number {
  if (!/^(10|\d)$/.test(text)) throw new InvalidArgumentError('Expected a number from 0 to 10.')
  return Number(text)
}

/** Networks of any size. */
function networks(text: string): string[] {
  return text.split(',').map((part) => {
    const parsed = parseCidr(part.trim())
    if (!parsed.ok) throw new InvalidArgumentError(`${part.trim()}: ${parsed.message}.`)
    return parsed.cidr
  })
}

function nameServers(text: string): { address: string; port: number }[] {
  return text.split(',').map((part) => {
    const [, inBrackets, plain, port = '53'] = /^(?:\[([^\]]+)\]|([^\]:]+))(?::(\d{1,5}))?$/.exec(part.trim()) ?? []
    const parsed = parseAddress(inBrackets ?? plain ?? part.trim())
    if (!parsed.ok || Number(port) < 1 || Number(port) > 65_535) {
      throw new InvalidArgumentError(`${part.trim()}: expected ADDRESS or ADDRESS:PORT, IPv6 in brackets.`)
    }
    return { address: parsed.address, port: Number(port) }
  })
}

/** A host name as an absolute one. Errors: `InvalidArgumentError`. */
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

/** Its options, those of {@link DnsConfig}. */
export function dnsOptions(): Option[] {
  return [
    new Option(
      '--dns-transfer-to <address,...>',
      'name servers (ADDRESS:PORT) that may have every zone, and hear of changes',
    )
      .env('WOLKE_DNS_TRANSFER_TO')
      .argParser(nameServers)
      .default([], 'none'),
    new Option('--dns-private-primaries <cidr,...>', 'networks, otherwise refused, of primaries of secondary zones')
      .env('WOLKE_DNS_PRIVATE_PRIMARIES')
      .argParser(networks)
      .default([], 'none'),
    new Option('--dns-response-rate <n|off>', 'answers a second over UDP that are the same and go to one network')
      .env('WOLKE_DNS_RESPONSE_RATE')
      .argParser(countOrOff)
      .default(defaultResponseRates.perAnswer),
    new Option('--dns-network-rate <n>', 'answers a second over UDP of all kinds that go to one network')
      .env('WOLKE_DNS_NETWORK_RATE')
      .argParser(count)
      .default(defaultResponseRates.perNetwork),
    new Option(
      '--dns-response-slip <n>',
      'of answers over these limits, each n-th is truncated, others are dropped; 0: all',
    )
      .env('WOLKE_DNS_RESPONSE_SLIP')
      .argParser(slip)
      .default(defaultResponseRates.slip),
    new Option('--dns-response-exempt <cidr,...>', 'networks without limits of answers')
      .env('WOLKE_DNS_RESPONSE_EXEMPT')
      .argParser(networks)
      .default(defaultResponseRates.exempt, 'loopback'),
    new Option('--dns-transfers <n>', 'secondary zones that are transferred at once')
      .env('WOLKE_DNS_TRANSFERS')
      .argParser(count)
      .default(defaultTransferLimits.inAll),
    new Option('--dns-transfers-per-project <n>', 'secondary zones of one Project that are transferred at once')
      .env('WOLKE_DNS_TRANSFERS_PER_PROJECT')
      .argParser(count)
      .default(defaultTransferLimits.perProject),
    new Option('--zone-records <n>', 'most records of a zone')
      .env('WOLKE_ZONE_RECORDS')
      .argParser(count)
      .default(defaultZoneLimits.records),
    new Option('--zone-bytes <n>', 'most bytes of a zone as text')
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

/** The settings of zones that the options give. */
export function givenZoneSettings(config: DnsConfig): Partial<ZoneSettings> {
  const { nameservers, hostmaster, dnsPrivatePrimaries, zoneRecords, zoneBytes } = config
  return {
    privatePrimaries: dnsPrivatePrimaries,
    limits: { records: zoneRecords, textBytes: zoneBytes },
    transfers: { inAll: config.dnsTransfers, perProject: config.dnsTransfersPerProject },
    ...(nameservers ? { nameservers } : {}),
    ...(hostmaster === undefined ? {} : { hostmaster }),
  }
}

/** How many answers the name server gives a network. */
export function responseRates(config: DnsConfig): ResponseRates | 'off' {
  const { dnsResponseRate, dnsNetworkRate: perNetwork, dnsResponseSlip: slip, dnsResponseExempt: exempt } = config
  return dnsResponseRate === off ? off : { perAnswer: dnsResponseRate, perNetwork, slip, exempt }
}
