/** A lab in which tests inject faults. */
import assert from 'node:assert/strict'
import { wolkeBase } from '../../../src/kernel/contract/bases.ts'
import { LabClock } from '../../../src/lab/clock.ts'
import { manager } from '../../../src/management/proof.ts'
import type { Answer, Open, World } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'

export const startedAt = '2026-11-28T12:00:00Z'

export interface FaultLab {
  readonly world: World
  readonly api: World['api']
  /** Adds a rule and returns it. */
  inject(rule: object): Promise<Rule>
  /** Asks for it, whatever the answer. */
  ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer>
  rule(name: string): Promise<Rule>
}

export interface Rule {
  readonly name: string
  readonly until: string | null
  readonly fitting: number
  readonly hits: number
  readonly scope: 'cloud' | 'process'
  readonly last_hits: readonly {
    readonly time: string
    readonly operation: string
    readonly project: number | null
    readonly request_id: string | null
    readonly action_id: number | null
    readonly subject: string | null
  }[]
}

/** The address of what the lab of a server offers. */
export const labBase = (baseUrl: string) => `${new URL(baseUrl).origin}${wolkeBase}`

export async function openFaultLab(open: Open, options: Parameters<Open>[0] = {}): Promise<FaultLab> {
  const world = await open({ lab: new LabClock(Date.parse(startedAt), 'frozen'), alone: true, ...options })
  const client = await manager(world)
  const base = labBase(world.baseUrl)
  return {
    world,
    api: world.api,
    inject: async (rule) => (await done(client.post(`${base}/faults`, rule))).fault,
    ask: (method, path, body) => client.request(method, base + path, body === undefined ? {} : { body }),
    async rule(name) {
      const { faults } = (await done(client.get(`${base}/faults`))) as { faults: Rule[] }
      const found = faults.find((rule) => rule.name === name)
      assert.ok(found, `there is no fault ${name}`)
      return found
    },
  }
}

export const injectedBy = ({ headers }: Answer) => headers.get('wolke-injected')

/** The answers of several requests, one after the other. */
export async function inOrder<T>(count: number, ask: (index: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = []
  for (let index = 0; index < count; index++) answers.push(await ask(index))
  return answers
}
