/** The load generator, a process of its own: runs the jobs that it is sent, one at a time, and reports each. */
import autocannon from 'autocannon'

export interface Job {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly token: string
  /** Asked in turn instead of the path of `url`. */
  readonly paths?: readonly string[]
  /** JSON to send; `{n}` becomes a number that no other request carries. */
  readonly body?: string
  readonly connections: number
  readonly seconds: number
}

export interface Load {
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Share of one core that the generator itself took: near 1 it measures itself. */
  readonly generatorCpu: number
}

let sent = 0

if (process.send) {
  process.on('message', async (job: Job) => process.send?.(await attempt(job)))
  // It would go on asking for nobody.
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
  // Its own statistics count in whole milliseconds.
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

function toOptions({ url, method, token, paths, body, connections, seconds }: Job): autocannon.Options {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const common = { url, method, headers, connections, duration: seconds, ...(body === undefined ? {} : { body }) }
  if (!paths && !body?.includes('{n}')) return common
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const n = ++sent
    if (paths) request.path = paths[n % paths.length]!
    if (body) request.body = body.replaceAll('{n}', `${process.pid}-${n}`)
    return request
  }
  return { ...common, requests: [{ method, headers, setupRequest }] }
}
