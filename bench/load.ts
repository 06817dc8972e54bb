/** The load generator, a separate process: runs one job at a time and reports each result. */
import autocannon from 'autocannon'

export interface Job {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly token: string
  /** Paths to request in turn, instead of the path of `url`. */
  readonly paths?: readonly string[]
  /** The JSON body; `{n}` is replaced by a number that is unique to each request. */
  readonly body?: string
  readonly connections: number
  readonly seconds: number
  /** Ends after so many requests instead. */
  readonly amount?: number
}

export interface Load {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The share of one core that the generator used: near 1 the generator itself is the bottleneck. */
  readonly generatorCpu: number
}

let sent = 0

if (process.send) {
  process.on('message', async (job: Job) => process.send?.(await attempt(job)))
  // Without the parent process nobody would stop the load.
  process.on('disconnect', () => process.exit())
}

async function attempt(job: Job): Promise<Load | { error: string }> {
  try {
    return await run(job)
  } catch (error) {
    return { error: String(error) }
  }
}

async function run(job: Job): Promise<Load> {
  const before = process.cpuUsage()
  const start = performance.now()
  const times: number[] = []
  let last = start
  const { promise, resolve, reject } = Promise.withResolvers<autocannon.Result>()
  const options = { ...toOptions(job), pipelining: 1, sampleInt: 50 }
  const instance = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)))
  // autocannon's own latency statistics have a resolution of whole milliseconds.
  instance.on('response', (_client, _status, _bytes, ms) => {
    last = performance.now()
    times.push(ms)
  })
  const result = await promise
  const failed = result.errors + result.timeouts + result.non2xx
  if (failed > 0 || times.length === 0) throw new Error(`${failed} requests failed: ${statuses(result)}`)
  times.sort((a, b) => a - b)
  const { user, system } = process.cpuUsage(before)
  return {
    requestsPerSecond: (times.length / (last - start)) * 1_000,
    p50Ms: times[Math.floor(times.length * 0.5)]!,
    p99Ms: times[Math.floor(times.length * 0.99)]!,
    generatorCpu: (user + system) / 1_000 / (performance.now() - start),
  }
}

function statuses({ statusCodeStats, errors, timeouts }: autocannon.Result): string {
  return JSON.stringify({ statusCodeStats, errors, timeouts })
}

function toOptions({ url, method, token, paths, body, connections, seconds, amount }: Job): autocannon.Options {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const length = amount === undefined ? { duration: seconds } : { amount }
  const common = { url, method, headers, connections, ...length, ...(body === undefined ? {} : { body }) }
  if (!paths && !body?.includes('{n}')) return common
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const n = ++sent
    if (paths) request.path = paths[n % paths.length]!
    if (body) request.body = body.replaceAll('{n}', `${process.pid}-${n}`)
    return request
  }
  return { ...common, requests: [{ method, headers, setupRequest }] }
}
