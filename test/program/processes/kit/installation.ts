/** An installation of three processes over one database, behind a balancer. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { wolkeBase } from '../../../../src/kernel/contract/bases.ts'
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

/** Makes Projects; returns a token of each. */
export async function makeProjects({ command }: Program, database: string, { baseUrl }: Pick<Served, 'baseUrl'>) {
  const { stdout, stderr } = await command('token', 'create', '--management', '--database', database)
  const management = /\S{64}/.exec(stdout)?.[0]
  assert.ok(management, stderr)
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${management}`, 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(`${new URL(baseUrl).origin}${wolkeBase}${path}`, sent)
    assert.equal(answer.status, 201, path)
    return (await answer.json()) as { project: { id: number }; secret: string }
  }
  const tokens: string[] = []
  for (const name of ['one', 'two', 'three']) {
    const { project } = await post('/projects', { name })
    const { secret } = await post(`/projects/${project.id}/tokens`, {
      name: 'test',
      access: 'read_write',
      expires: null,
    })
    tokens.push(secret)
  }
  return tokens
}
