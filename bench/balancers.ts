/**
 * Measures the data planes of Load Balancers: requests per second beside a direct connection to the same target, the
 * processor time that a plane spends on one, its memory, and how soon it is back after it was killed. Needs Debian's
 * `wrk`; HAProxy also needs root and itself.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { embeddedSite, haproxySite, inNamespace, missing, type Site } from '../test/load-balancers/kit/planes.ts'
import { balancerNeighbour } from './balancer-neighbour.ts'
import type { PlaneFigures, Recovery, Traffic } from './balancers-plane.ts'
import type { Workshop } from './processes.ts'
import type { Row } from './report.ts'
import type { Compared, Effort } from './rounds.ts'

const run = promisify(execFile)

/** What is promised of a data plane where a target takes `targetUs` for an HTTP request. */
interface Promised {
  /** The processor time of an HTTP request, in microseconds. */
  readonly cpuUs: number
  /** HTTP requests a second, of those without a balancer. */
  readonly ratio?: number
  readonly residentMb?: number
}
const promised: Readonly<Record<Site['name'], Promised>> = {
  embedded: { cpuUs: 30, ratio: 0.35, residentMb: 120 },
  haproxy: { cpuUs: 10 },
}
/** On a machine where the target takes longer, so may the balancer. */
const targetUs = 12

export async function balancers(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const beside = await balancerNeighbour(workshop, effort)
  // It exits with 1 when it is asked for its version.
  const hasWrk = await run('wrk', ['-v']).catch(({ code }) => code === 1)
  if (!hasWrk) {
    console.error('balancers are not measured: wrk is not installed')
    return beside
  }
  const rows = [...beside, ...(await measured(embeddedSite().name, [], effort))]
  const reason = await missing()
  if (reason === undefined) return [...rows, ...(await measured(haproxySite().name, inNamespace, effort))]
  console.error(`balancers of HAProxy are not measured: ${reason}`)
  return rows
}

/** Measures a plane in a process of its own, which may need another network than this one. */
async function measured(name: Site['name'], under: readonly string[], { rounds, seconds }: Effort): Promise<Row[]> {
  const script = join(import.meta.dirname, 'balancers-plane.ts')
  const [program, ...args] = [...under, process.execPath, script, name, String(rounds), String(seconds)] as const
  const { stdout } = await run(program!, args)
  const { http, tcp, besideShortest, residentMb, killed } = JSON.parse(stdout) as PlaneFigures
  const { cpuUs, ratio, residentMb: mostMb } = promised[name]
  return [
    throughput(`balancer ${name}, HTTP`, http, ratio),
    cost(`balancer ${name}, HTTP`, http, cpuUs),
    throughput(`balancer ${name}, TCP`, tcp),
    cost(`balancer ${name}, TCP`, tcp),
    ...(besideShortest ? [least(name, besideShortest)] : []),
    atMost({ name: `balancer ${name}, resident memory after load`, unit: 'MB', wolke: residentMb }, mostMb),
    ...recovery(name, killed),
  ]
}

function least(name: string, compared: Compared): Row {
  const note = 'bare: HAProxy with the shortest configuration'
  return { name: `balancer ${name}, HTTP, beside the shortest configuration`, unit: 'us', ...compared, note }
}

function recovery(name: Site['name'], { trafficMs, healthMs, checkedEveryS }: Recovery): Row[] {
  return [
    within(`balancer ${name}, killed, until it carries traffic`, trafficMs, 1_000),
    // The observed state of targets may be a second old.
    within(`balancer ${name}, killed, until it knows its targets`, healthMs, 1_000 * (checkedEveryS + 1)),
  ]
}

function within(name: string, wolke: number, promisedMs: number): Row {
  return atMost({ name, unit: 'ms', wolke }, promisedMs)
}

function atMost(row: Row, most: number | undefined): Row {
  return most === undefined ? row : { ...row, bar: { text: `<= ${most} ${row.unit}`, met: row.wolke <= most } }
}

function throughput(name: string, { wolke, bare, ratio, p50Ms, p99Ms }: Traffic, least?: number): Row {
  const bar = least === undefined ? {} : { bar: { text: `>= ${least} of direct`, met: ratio >= least } }
  return { name, unit: 'req/s', wolke, bare, ratio, p50Ms, p99Ms, note: 'bare: without a balancer', ...bar }
}

function cost(name: string, { cpuUs, targetCpuUs }: Traffic, most?: number): Row {
  const text = `<= ${most} us where the target takes ${targetUs}`
  const bar = most === undefined ? {} : { bar: { text, met: cpuUs <= most * Math.max(1, targetCpuUs / targetUs) } }
  const compared = { wolke: cpuUs, bare: targetCpuUs, ratio: cpuUs / targetCpuUs, note: 'bare: the target itself' }
  return { name: `${name}, processor time per request`, unit: 'us', ...compared, ...bar }
}
