/** Runs Debian's `wrk`, a load generator in C, and reads what it printed. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const connections = 32
const unitsMs: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000 }

export interface Load {
  readonly requests: number
  readonly requestsPerSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Requests over kept connections. Errors: an answer that is not 2xx or 3xx, or none at all. */
export async function load(url: string, seconds: number): Promise<Load> {
  const args = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--latency', url]
  const { stdout } = await run('wrk', args)
  const [, requests] = /(\d+) requests in/.exec(stdout) ?? []
  const [, perSecond] = /Requests\/sec:\s+([\d.]+)/.exec(stdout) ?? []
  if (!requests || !perSecond || /Non-2xx|Socket errors/.test(stdout)) throw new Error(`wrk: ${stdout}`)
  return {
    requests: Number(requests),
    requestsPerSecond: Number(perSecond),
    p50Ms: latencyMs(stdout, 50),
    p99Ms: latencyMs(stdout, 99),
  }
}

function latencyMs(text: string, percent: number): number {
  const [, value, unit = ''] = new RegExp(`^\\s+${percent}%\\s+([\\d.]+)(us|ms|s)$`, 'm').exec(text) ?? []
  return Number(value) * unitsMs[unit]!
}
