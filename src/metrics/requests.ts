/**
 * Requests are counted in plain numbers, since the library would take longer for each than all else that is measured of it
 * (docs/adr/0047-metrics.md). It gets the numbers when somebody asks.
 */
import { Counter, type Metric, type Registry } from 'prom-client'
import { type CallerKind, channels, type RequestMessage } from '../kernel/process/channels.ts'

/** Upper bounds in seconds. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Statuses have three digits. */
const statuses = 1_000
const callers: readonly CallerKind[] = ['token', 'management', 'person', 'admin', 'none']

/** The requests of one operation. */
class Tally {
  /** Counts by bucket; the last one has no bound. */
  readonly buckets = new Array<number>(bounds.length + 1).fill(0)
  seconds = 0
  /** Those that the counter does not have yet, by caller and status. */
  readonly fresh = new Map<number, number>()

  add({ status, caller, seconds }: RequestMessage): void {
    if (seconds !== undefined) {
      let bucket = 0
      while (bucket < bounds.length && seconds > bounds[bucket]!) bucket++
      this.buckets[bucket]!++
      this.seconds += seconds
    }
    const key = callers.indexOf(caller) * statuses + status
    this.fresh.set(key, (this.fresh.get(key) ?? 0) + 1)
  }
}

/** Registers the metrics of requests and begins to count; returns what ends that. */
export function countRequests(registry: Registry): () => void {
  const tallies = new Map<string, Tally>()
  new Counter({
    name: 'wolke_http_requests_total',
    help: 'Requests to the API that were answered, by operation, HTTP status and kind of caller.',
    labelNames: ['operation', 'code', 'caller'],
    registers: [registry],
    collect() {
      for (const [operation, { fresh }] of tallies) {
        for (const [key, count] of fresh) {
          this.inc({ operation, code: key % statuses, caller: callers[Math.floor(key / statuses)]! }, count)
        }
        fresh.clear()
      }
    },
  })
  registry.registerMetric(histogramOf(tallies) as unknown as Metric)
  const add = (message: RequestMessage) => {
    const { operation = 'none' } = message
    if (!tallies.has(operation)) tallies.set(operation, new Tally())
    tallies.get(operation)!.add(message)
  }
  channels.request.subscribe(add)
  return () => void channels.request.unsubscribe(add)
}

/** A histogram as the library writes it. */
function histogramOf(tallies: ReadonlyMap<string, Tally>) {
  const name = 'wolke_http_request_duration_seconds'
  const about = {
    name,
    labelNames: ['operation'],
    type: 'histogram',
    help: 'Time from a request to the end of its answer, by operation.',
    aggregator: 'sum',
  }
  const valuesOf = (operation: string, { buckets, seconds }: Tally) => {
    let count = 0
    const rows = buckets.map((some, index) => {
      count += some
      const le = bounds[index] ?? '+Inf'
      return { metricName: `${name}_bucket`, labels: { le, operation }, value: count }
    })
    return [
      ...rows,
      { metricName: `${name}_sum`, labels: { operation }, value: seconds },
      { metricName: `${name}_count`, labels: { operation }, value: count },
    ]
  }
  return {
    ...about,
    get: async () => ({ ...about, values: [...tallies].flatMap(([operation, tally]) => valuesOf(operation, tally)) }),
  }
}
