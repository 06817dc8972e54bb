/**
 * The standard variables of OpenTelemetry for traces. They are read here like all others: the library that sends the
 * spans is given all of it, and reads none.
 */
import { InvalidArgumentError } from 'commander'

/** The traces that are kept, and the share of those that begin here. */
export interface Sampling {
  readonly name: (typeof samplers)[number]
  /** A share from 0 to 1, for those whose name has a ratio. */
  readonly ratio: number
}

/** The way in which spans are handed to a collector. Times are in milliseconds. */
export interface TracesConfig {
  readonly url: string
  readonly protocol: (typeof protocols)[number]
  /** Further headers, as `key=value` with commas between them, percent-encoded. */
  readonly headers: string | undefined
  readonly timeoutMs: number
  readonly compression: 'gzip' | 'none'
  /** Files in PEM. */
  readonly ca: string | undefined
  readonly cert: string | undefined
  readonly key: string | undefined
  readonly serviceName: string | undefined
  /** Written like headers. */
  readonly resource: string | undefined
  readonly sampling: Sampling
  readonly delayMs: number
  readonly exportTimeoutMs: number
  readonly mostWaiting: number
  readonly mostAtOnce: number
}

const protocols = ['http/protobuf', 'http/json'] as const
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** The variables, of which an empty one counts as missing. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * The traces that the variables ask for; undefined when they ask for none. Errors: `InvalidArgumentError` that names the
 * variable.
 */
export function tracesOf(environment: Environment): TracesConfig | undefined {
  const read = (name: string) => environment[name]?.trim() || undefined
  const general = read('OTEL_EXPORTER_OTLP_ENDPOINT')
  const own = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  if ((general ?? own) === undefined || read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp'
  if (exporter === 'none') return undefined
  if (exporter !== 'otlp') throw unfit('OTEL_TRACES_EXPORTER', "'otlp' or 'none'")
  const both = (name: string) => read(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? read(`OTEL_EXPORTER_OTLP_${name}`)
  return {
    url: own === undefined ? below(general!) : urlOf('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', own).href,
    protocol: protocolOf(both('PROTOCOL')),
    headers: both('HEADERS'),
    timeoutMs: count('OTEL_EXPORTER_OTLP_TIMEOUT', both('TIMEOUT'), 10_000),
    compression: oneOf('OTEL_EXPORTER_OTLP_COMPRESSION', both('COMPRESSION') ?? 'none', ['gzip', 'none'] as const),
    ca: both('CERTIFICATE'),
    cert: both('CLIENT_CERTIFICATE'),
    key: both('CLIENT_KEY'),
    serviceName: read('OTEL_SERVICE_NAME'),
    resource: read('OTEL_RESOURCE_ATTRIBUTES'),
    sampling: samplingOf(read('OTEL_TRACES_SAMPLER'), read('OTEL_TRACES_SAMPLER_ARG')),
    delayMs: count('OTEL_BSP_SCHEDULE_DELAY', read('OTEL_BSP_SCHEDULE_DELAY'), 5_000),
    exportTimeoutMs: count('OTEL_BSP_EXPORT_TIMEOUT', read('OTEL_BSP_EXPORT_TIMEOUT'), 30_000),
    mostWaiting: count('OTEL_BSP_MAX_QUEUE_SIZE', read('OTEL_BSP_MAX_QUEUE_SIZE'), 2_048),
    mostAtOnce: count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', read('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'), 512),
  }
}

function unfit(name: string, expected: string): InvalidArgumentError {
  return new InvalidArgumentError(`${name}: expected ${expected}`)
}

/** The URL for traces below the one for all signals. */
function below(text: string): string {
  const url = urlOf('OTEL_EXPORTER_OTLP_ENDPOINT', text)
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return new URL('v1/traces', url).href
}

function urlOf(name: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw unfit(name, 'a URL such as http://localhost:4318')
  return url
}

function protocolOf(text = 'http/protobuf'): TracesConfig['protocol'] {
  if (text === 'grpc') {
    throw new InvalidArgumentError(
      'OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not supported; use http/protobuf, which collectors take at port 4318',
    )
  }
  return oneOf('OTEL_EXPORTER_OTLP_PROTOCOL', text, protocols)
}

function samplingOf(name = 'parentbased_always_on', argument = '1'): Sampling {
  const ratio = Number(argument)
  if (!(ratio >= 0 && ratio <= 1)) throw unfit('OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1')
  return { name: oneOf('OTEL_TRACES_SAMPLER', name, samplers), ratio }
}

function oneOf<const T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === text)
  if (found === undefined) throw unfit(name, allowed.join(', '))
  return found
}

function count(name: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual
  if (!/^[1-9]\d{0,8}$/.test(text)) throw unfit(name, 'a whole number greater than 0')
  return Number(text)
}
