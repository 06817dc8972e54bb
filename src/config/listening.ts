/** The addresses at which a server listens. */
import { InvalidArgumentError, Option } from 'commander'
import { parseAddress } from '../protocols/net/ip.ts'
import { hostAndPort, type ListenAddress } from '../protocols/net/listen-address.ts'

/** The value `off` of an option; commander would turn undefined into an empty text. */
const off = 'off'

/** An address to listen on. */
export interface Listen extends ListenAddress {
  /** True when a free port may replace a port in use; only default addresses may move. */
  readonly mayMove?: boolean
}

export interface ListenConfig {
  readonly listen: Listen
  readonly metadataListen: Listen | 'off'
  readonly metadataPrefix: string
  readonly metricsListen?: Listen
  readonly dnsListen: Listen | 'off'
}

/** Default addresses of the metadata service and the name server. */
const defaultMetadataListen: Listen = { host: '127.0.0.1', port: 8169, mayMove: true }
const defaultDnsListen: Listen = { host: '127.0.0.1', port: 5353, mayMove: true }

/** Reads an address. Errors: `InvalidArgumentError`. */
export function listen(text: string): Listen {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (!match || port > 65_535) throw new InvalidArgumentError('Expected HOST:PORT, such as 127.0.0.1:8080.')
  return { host: (match[1] ?? match[2]) as string, port }
}

/** Name servers are known by their addresses. */
function dnsListen(text: string): Listen | typeof off {
  if (text === off) return off
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([\d.]+)):\d{1,5}$/.exec(text)
  if (!parseAddress(match?.[1] ?? match?.[2] ?? '').ok) {
    throw new InvalidArgumentError('Expected ADDRESS:PORT, such as 127.0.0.1:53, or off.')
  }
  return listen(text)
}

function pathPrefix(text: string): string {
  if (!/^(\/[a-z0-9._-]+)+$/i.test(text)) throw new InvalidArgumentError('Expected a path such as /cloud.')
  return text
}

/** The options of all listeners. */
export function listenOptions(): Option[] {
  return [
    new Option('--listen <host:port>', 'address of the API; port 0 picks a free port')
      .env('WOLKE_LISTEN')
      .argParser(listen)
      .default({ host: '127.0.0.1', port: 8080 }, '127.0.0.1:8080'),
    new Option('--metadata-listen <host:port|off>', 'address of the metadata service')
      .env('WOLKE_METADATA_LISTEN')
      .argParser((text) => (text === 'off' ? text : listen(text)))
      .default(defaultMetadataListen, '127.0.0.1:8169, or a free port when that is in use'),
    new Option('--metadata-prefix <path>', 'path under which the metadata service also answers')
      .env('WOLKE_METADATA_PREFIX')
      .argParser(pathPrefix)
      .default('/hetzner'),
    new Option(
      '--metrics-listen <host:port>',
      'address of the metrics for Prometheus, which need no token (default: off)',
    )
      .env('WOLKE_METRICS_LISTEN')
      .argParser((text) => (text === off ? undefined : listen(text))),
    new Option('--dns-listen <address:port|off>', 'address of the name server, UDP and TCP')
      .env('WOLKE_DNS_LISTEN')
      .argParser(dnsListen)
      .default(defaultDnsListen, '127.0.0.1:5353, or a free port when that is in use'),
  ]
}

/** Returns where servers reach the metadata service unless an option says otherwise; null when they cannot. */
export function metadataListenOf({ metadataListen }: Pick<ListenConfig, 'metadataListen'>): string | null {
  return metadataListen === off ? null : hostAndPort(metadataListen)
}
