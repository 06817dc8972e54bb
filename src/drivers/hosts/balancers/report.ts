/** Reads what the program in a balancer's container prints of HAProxy. */
import { type CheckRow, type Counters, parseChecks, parseCounters } from '../../load-balancers/haproxy/statistics.ts'

export interface Report {
  /** The generation of its state; 0 when a change was cut off. */
  readonly generation: number
  /** The word of the worker that takes connections about targets; undefined when there is no worker. */
  readonly checks: readonly CheckRow[] | undefined
  /** The counters of each worker, by process id. */
  readonly counters: Readonly<Record<string, Counters>>
}

/** Errors: one for anything else than a report. */
export function parseReport(text: string): Report {
  const [generation = '', ...sections] = text.split(/^--- /m)
  if (!/^\d+\n$/.test(generation)) throw new Error(`a load balancer reports ${JSON.stringify(text.slice(0, 200))}`)
  const workers = sections.flatMap(toWorker)
  return {
    generation: Number(generation),
    checks: workers.find(({ isOld }) => !isOld)?.checks,
    counters: Object.fromEntries(workers.map(({ pid, counters }) => [pid, counters])),
  }
}

/** One that has just ended answers something else than statistics. */
function toWorker(section: string) {
  const [, age, pid, csv] = /^(worker|old) (\d+)\n([\s\S]*)$/.exec(section) ?? []
  if (pid === undefined || !csv?.startsWith('# pxname,')) return []
  return [{ pid, isOld: age === 'old', checks: parseChecks(csv), counters: parseCounters(csv) }]
}
