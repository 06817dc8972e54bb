/** An installation of three processes over one database, behind a balancer. */
import { join } from 'node:path'
import { until } from '../../../kit/database/bare-database.ts'
import { onPostgres } from '../../../kit/engines.ts'
import { skipsHaproxy } from '../../../stubs/haproxy.ts'
import type { Program, Served } from '../../kit/program.ts'
import { type RunningBalancer, startBalancer } from './haproxy.ts'

/** Options of tests that need PostgreSQL and HAProxy. */
export const besideBalancer = { skip: onPostgres.skip ?? skipsHaproxy }

export interface Installation {
  /** The base URL of the API through the balancer. */
  readonly baseUrl: string
  readonly balancer: RunningBalancer
  readonly servers: readonly [Served, Served, Served]
  stop(): Promise<void>
}

/** Starts it. `databases` are the URLs by which the processes find the database, of which the last stands for the rest. */
export async function startInstallation(
  { folder, serve }: Program,
  databases: readonly [string, ...string[]],
  ...options: string[]
): Promise<Installation> {
  const shared = ['--key-file', join(folder, 'key'), '--storage', join(folder, 'storage'), ...options]
  const start = (at: number) => serve(databases[Math.min(at, databases.length - 1)]!, ...shared)
  // The first one makes the schema and the key.
  const first = await start(0)
  const servers = [first, ...(await Promise.all([start(1), start(2)]))] as unknown as Installation['servers']
  const urls = servers.map(({ baseUrl }) => baseUrl)
  const balancer = await startBalancer(folder, urls)
  await until(async () => {
    const states = await balancer.states()
    return ['a', 'b', 'c'].every((name) => states.get(name) === 'UP')
  }, 'the balancer finds all processes well')
  return {
    baseUrl: balancer.baseUrl,
    balancer,
    servers,
    async stop() {
      await balancer.stop()
      await Promise.all(servers.map((server) => server.kill()))
    },
  }
}

/** The process that gave an answer: the part of correlation ids that each process has for itself. */
export const answeredBy = (headers: Headers | Readonly<Record<string, unknown>>): string => {
  const id = headers instanceof Headers ? headers.get('x-correlation-id') : headers['x-correlation-id']
  return String(id).slice(0, 16)
}
