/**
 * Another tenant, in a process of its own so that it does not wait for the attacker: sends requests at a steady pace,
 * even without answers, and reports the latencies.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { Running, Workshop } from '../bench/processes.ts'

interface Job {
  readonly url: string
  readonly token: string
  readonly everyMs: number
  /** The body of a POST, in which `{n}` is replaced by a unique number; without it, requests are GET. */
  readonly body?: string
}

/** Latencies that the tenant saw, in milliseconds. */
export interface Waits {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly longest: number
  /** Number of requests without a successful answer. */
  readonly failed: number
}

export interface ProbeOptions {
  readonly token: string
  readonly path: string
  readonly everyMs?: number
  readonly body?: object
}

/** The latencies of a tenant during `work`. */
export async function waitsDuring(
  workshop: Workshop,
  server: Running,
  { path, body, everyMs = 10, token }: ProbeOptions,
  work: () => Promise<unknown>,
): Promise<Waits> {
  const child = fork(import.meta.filename, { env: { ...process.env, WOLKE_ATTACK_PROBE: '1' } })
  const stop = workshop.keep(async () => {
    child.kill()
    await once(child, 'exit')
  })
  child.send({ url: server.url + path, token, everyMs, ...(body ? { body: JSON.stringify(body) } : {}) } satisfies Job)
  await once(child, 'message')
  await work()
  child.send('stop')
  const [waits] = (await once(child, 'message')) as [Waits]
  await stop()
  return waits
}

/** The timeout of a request. */
const patienceMs = 30_000

function ask({ url, token, body }: Job, agent: Agent, n: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) }
  const asked = request(url, { agent, headers, method: body ? 'POST' : 'GET', timeout: patienceMs }, (response) => {
    response.resume().once('end', () => resolve(response.statusCode! < 300))
  })
  asked.once('error', () => resolve(false)).once('timeout', () => asked.destroy())
  asked.end(body?.replaceAll('{n}', `${process.pid}-${n}`))
  return promise
}

/** Sends requests until told to stop; the first message to the parent says that it has begun. */
async function probe(job: Job): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const times: number[] = []
  const open = new Set<Promise<void>>()
  let failed = 0
  let sent = 0
  const one = async () => {
    const start = performance.now()
    if (!(await ask(job, agent, ++sent))) failed++
    times.push(performance.now() - start)
  }
  await one()
  times.length = 0
  const timer = setInterval(() => {
    const asked = one().finally(() => open.delete(asked))
    open.add(asked)
  }, job.everyMs)
  process.send?.('begun')
  await once(process, 'message')
  clearInterval(timer)
  await Promise.all(open)
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN
  process.send?.({ count: times.length, p50: at(0.5), p99: at(0.99), longest: at(1), failed } satisfies Waits)
}

if (process.env.WOLKE_ATTACK_PROBE) {
  // Without the parent process nobody would stop the probe.
  process.once('disconnect', () => process.exit())
  process.once('message', (job: Job) => void probe(job))
}
