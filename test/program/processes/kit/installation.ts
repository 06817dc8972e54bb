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

/** A process of an installation. */
export interface Member {
  readonly baseUrl: string
  kill(): Promise<void>
}

export interface Installation<M extends Member = Served> {
  /** The base URL of the API through the balancer. */
  readonly baseUrl: string
  readonly balancer: RunningBalancer
  readonly servers: readonly [M, M, M]
  stop(): Promise<void>
}

/** Where processes are started, and how. */
interface Place<M extends Member> {
  readonly folder: string
  serve(database: string, ...options: string[]): Promise<M>
}

/** Starts it. `databases` are the URLs by which the processes find the database, of which the last stands for the rest. */
export async function startInstallation<M extends Member>(
  { folder, serve }: Place<M>,
  databases: readonly [string, ...string[]],
  ...options: string[]
): Promise<Installation<M>> {
  const shared = ['--key-file', join(folder, 'key'), '--storage', join(folder, 'storage'), ...options]
  const start = (at: number) => serve(databases[Math.min(at, databases.length - 1)]!, ...shared)
  // The first one makes the schema and the key.
  const first = await start(0)
  const servers = [first, ...(await Promise.all([start(1), start(2)]))] as unknown as readonly [M, M, M]
  const urls = servers.map(({ baseUrl }) => baseUrl)
  const balancer = await startBalancer(folder, urls)
  const installation = {
    baseUrl: balancer.baseUrl,
    balancer,
    servers,
    async stop() {
      await balancer.stop()
      await Promise.all(servers.map((server) => server.kill()))
    },
  }
  try {
    for (const name of ['a', 'b', 'c'])
      await until(() => isState(installation, name, /UP/), 'the balancer finds all processes well')
    return installation
  } catch (error) {
    await installation.stop()
    throw error
  }
}

/** Tells whether the balancer says so of a process, which it calls `a`, `b` or `c`. */
export async function isState({ balancer }: Pick<Installation, 'balancer'>, name: string, state: RegExp) {
  return state.test((await balancer.states()).get(name) ?? '')
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
