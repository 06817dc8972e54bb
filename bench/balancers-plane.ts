/** Puts load on one data plane, named by the first argument, and prints what it measured as JSON. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { BalancerService, BalancerState } from '../src/families/load-balancers/driver.ts'
import { until } from '../test/kit/database/bare-database.ts'
import { targetAt } from '../test/kit/samples/balancer-states.ts'
import { httpCheck, httpService, targetPort, tcpService } from '../test/load-balancers/kit/balancers.ts'
import { statusOf } from '../test/load-balancers/kit/clients.ts'
import { embeddedSite, haproxySite, Plane } from '../test/load-balancers/kit/planes.ts'
import { listenersOn } from '../test/load-balancers/kit/processes.ts'
import { median } from './report.ts'
import { type Compared, inTurns } from './rounds.ts'
import { startShortest } from './shortest-haproxy.ts'
import { type Load, load } from './wrk.ts'

export interface Traffic extends Compared {
  readonly p50Ms: number
  readonly p99Ms: number
  /** Processor time of the plane for one request, in microseconds. */
  readonly cpuUs: number
  /**
   * The processor time of the target, a server of Node.js, asked directly: it tells how fast the machine is just now.
   */
  readonly targetCpuUs: number
}

/** The time of recovery after the process of a plane was killed, in milliseconds; the longest of several times. */
export interface Recovery {
  /** The time until a request got through. */
  readonly trafficMs: number
  /** The time until all targets' health was known. */
  readonly healthMs: number
  /** The interval of health checks, in seconds. */
  readonly checkedEveryS: number
}

export interface PlaneFigures {
  readonly http: Traffic
  readonly tcp: Traffic
  /** The processor time of an HTTP request in HAProxy and in one with the shortest configuration, in microseconds. */
  readonly besideShortest?: Compared
  readonly residentMb: number
  readonly killed: Recovery
}

const ports = { http: 80, tcp: 90, shortest: 100 }
/** Ticks of the processor times in /proc, which Linux fixes for programs. */
const ticksPerSecond = 100

/** A target in a process of its own, whose time counts apart. */
const answering = `
  const body = 'x'.repeat(100)
  require('node:http')
    .createServer((_, response) => void response.end(body))
    .listen(Number(process.argv[2]), process.argv[1])
  // It ends with its parent, also with one that was killed: nobody else would end it, and it has nothing to finish.
  process.on('disconnect', () => process.exit())
`

const [name, rounds, seconds] = process.argv.slice(2)
const plane = new Plane(name === 'haproxy' ? haproxySite() : embeddedSite())
await plane.open()
const host = `${plane.site.balancerNet}.200`
const listensAt = (listenPort: number) => ({ host, port: listenPort + plane.site.portOffset })
const urlOf = (listenPort: number) => `http://${host}:${listensAt(listenPort).port}/`
const child = await startTarget()
try {
  console.log(JSON.stringify(await measure(Number(rounds), Number(seconds))))
} finally {
  child.process.kill()
  await plane.driver.remove(1, 3)
  await plane.close()
}

async function startTarget(): Promise<{ process: ChildProcess; address: string }> {
  const address = plane.targetAddress()
  const child = spawn(process.execPath, ['-e', answering, address, String(targetPort)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await until(() => listens(address))
  return { process: child, address }
}

async function listens(host: string): Promise<boolean> {
  const socket = connect(targetPort, host)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    // Nobody listens yet.
    return false
  } finally {
    socket.destroy()
  }
}

/** One balancer with a service of each kind. */
function stateOf(services: readonly BalancerService[]): BalancerState {
  return {
    id: 1,
    location: 1,
    generation: 1,
    cookieSecret: 'a secret',
    maxConnections: 10_000,
    algorithm: 'round_robin',
    publicAddresses: [host],
    place: null,
    services,
    targets: [targetAt(child.address)],
  }
}

async function measure(rounds: number, seconds: number): Promise<PlaneFigures> {
  const healthCheck = httpCheck({ interval: 15 })
  const state = stateOf([httpService(ports.http, {}, { healthCheck }), tcpService(ports.tcp, { healthCheck })])
  await plane.driver.apply(state)
  await until(() => isHealthy(state))
  const pids = listenersOn(host)
  const direct = `http://${child.address}:${targetPort}/`
  const traffic = async (port: number): Promise<Traffic> => {
    const loads: (Load & { cpuUs: number })[] = []
    const targetUs: number[] = []
    // Whoever compiles code while it runs has done so before it is measured.
    for (const url of [urlOf(port), direct]) await load(url, Math.max(2, seconds))
    const compared = await inTurns(rounds, {
      async wolke() {
        const done = await costing(pids, urlOf(port), seconds)
        loads.push(done)
        return done.requestsPerSecond
      },
      async bare() {
        const done = await costing([child.process.pid!], direct, seconds)
        targetUs.push(done.cpuUs)
        return done.requestsPerSecond
      },
    })
    const middle = (pick: (one: (typeof loads)[number]) => number) => median(loads.map(pick))
    return {
      ...compared,
      p50Ms: middle(({ p50Ms }) => p50Ms),
      p99Ms: middle(({ p99Ms }) => p99Ms),
      cpuUs: middle(({ cpuUs }) => cpuUs),
      targetCpuUs: median(targetUs),
    }
  }
  const [http, tcp] = [await traffic(ports.http), await traffic(ports.tcp)]
  const least = plane.site.name === 'haproxy' ? { besideShortest: await besideShortest(pids, rounds, seconds) } : {}
  const residentMb = pids.reduce((sum, pid) => sum + residentMbOf(pid), 0)
  return { http, tcp, ...least, residentMb, killed: await recovery(rounds) }
}

/** What is left to gain in our configuration: the shortest one is the least that this HAProxy takes on this machine. */
async function besideShortest(pids: readonly number[], rounds: number, seconds: number): Promise<Compared> {
  const shortest = await startShortest(pids[0]!, listensAt(ports.shortest), { host: child.address, port: targetPort })
  const costOf = async (pids: readonly number[], port: number) => (await costing(pids, urlOf(port), seconds)).cpuUs
  try {
    await costOf([shortest.pid], ports.shortest)
    return await inTurns(rounds, {
      wolke: () => costOf(pids, ports.http),
      bare: () => costOf([shortest.pid], ports.shortest),
    })
  } finally {
    await shortest.stop()
  }
}

async function isHealthy({ id, services }: BalancerState): Promise<boolean> {
  const { health = [] } = (await plane.driver.observe([id])).get(id) ?? {}
  return health.filter(({ health: { status } }) => status === 'healthy').length === services.length
}

async function recovery(times: number): Promise<Recovery> {
  const checkedEveryS = 3
  const service = httpService(ports.http, {}, { healthCheck: httpCheck({ interval: checkedEveryS }) })
  const state = { ...stateOf([service]), generation: 2 }
  await plane.driver.apply(state)
  await until(() => isHealthy(state))
  const traffic: number[] = []
  const health: number[] = []
  for (let killed = 0; killed < times; killed++) {
    for (const pid of listenersOn(host)) process.kill(pid, 'SIGKILL')
    const at = performance.now()
    await until(async () => (await statusOf(listensAt(ports.http))) === 200)
    traffic.push(performance.now() - at)
    health.push((await lastUnknown(state, at)) - at)
  }
  return { trafficMs: Math.max(...traffic), healthMs: Math.max(...health), checkedEveryS }
}

/**
 * Returns the last time when the health of targets was not known, or else `since`. Observations may be a second old,
 * and a process that dies within two seconds of its start is replaced later, on purpose: this takes longer.
 */
async function lastUnknown(state: BalancerState, since: number): Promise<number> {
  let last = since
  while (performance.now() - last < 3_000) {
    if (!(await isHealthy(state))) last = performance.now()
    await delay(10)
  }
  return last
}

/** Load, and the processor time of one request in some processes, in microseconds. */
async function costing(pids: readonly number[], url: string, seconds: number): Promise<Load & { cpuUs: number }> {
  const before = cpuSeconds(pids)
  const done = await load(url, seconds)
  return { ...done, cpuUs: ((cpuSeconds(pids) - before) * 1_000_000) / done.requests }
}

/** Processor time that processes have used, in the program and in the kernel. */
function cpuSeconds(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    // The name, in brackets, may have spaces in it; after it, these are the 12th and 13th field.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    return Number(fields[11]) + Number(fields[12])
  })
  return ticks.reduce((sum, one) => sum + one, 0) / ticksPerSecond
}

function residentMbOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}
