/** Metrics as text: OpenMetrics 1.0 for whoever prefers it, and otherwise the older format of Prometheus, 0.0.4. */
import { type Metric, Registry } from 'prom-client'

export type Format = typeof Registry.OPENMETRICS_CONTENT_TYPE | typeof Registry.PROMETHEUS_CONTENT_TYPE

const { OPENMETRICS_CONTENT_TYPE: openMetrics, PROMETHEUS_CONTENT_TYPE: plainText } = Registry

/** The longest header that is looked at. */
const longestAccept = 1_000

/** Chooses the format that an Accept header prefers (RFC 9110, 12.5.1); without one, the older. */
export function formatFor(accept = ''): Format {
  const ranges = accept.slice(0, longestAccept).toLowerCase().split(',').map(rangeOf)
  const best = (types: readonly string[]) => Math.max(0, ...ranges.map((one) => (types.includes(one.type) ? one.q : 0)))
  const wanted = best(['application/openmetrics-text'])
  return wanted > 0 && wanted >= best(['text/plain', 'text/*']) ? openMetrics : plainText
}

/** A range that asks for another version than 1.0.0 of OpenMetrics asks for something that is not there. */
function rangeOf(text: string): { readonly type: string; readonly q: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const given = new Map(parameters.map((one) => one.split('=', 2) as [string, string]))
  const isOther = type === 'application/openmetrics-text' && (given.get('version') ?? '1.0.0') !== '1.0.0'
  const q = Number(given.get('q') ?? 1)
  return { type, q: isOther || !(q >= 0) ? 0 : Math.min(q, 1) }
}

type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/**
 * Writes all metrics of a registry in a format. The library's registries have one format each, and rename counters for the
 * one of OpenMetrics, so it gets a registry of copies.
 */
export async function expose(registry: Registry, format: Format): Promise<string> {
  const copies: Registry<Format> = new Registry<Format>()
  copies.setContentType(format)
  for (const metric of await registry.getMetricsAsJSON()) copies.registerMetric(copyOf(metric) as unknown as Metric)
  return copies.metrics()
}

function copyOf(metric: Snapshot[number]) {
  const values = metric.values.map((one) => ({ ...one, labels: { ...one.labels, ...boundOf(one.labels) } }))
  return {
    name: metric.name,
    type: metric.type,
    get() {
      return { ...metric, values, name: this.name }
    },
  }
}

/** Bounds of histograms are floating-point numbers in OpenMetrics, and series must not differ by the format. */
function boundOf({ le }: { le?: string | number }) {
  return typeof le === 'number' ? { le: Number.isInteger(le) ? le.toFixed(1) : String(le) } : {}
}
