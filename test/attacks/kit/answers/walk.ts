/**
 * A walk through a Project: random requests to the processes of an installation, which read the same paths again and again.
 * Whenever no action runs, each of them has to say what the process says that keeps no answers.
 */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { wolkeBase } from '../../../../src/kernel/contract/bases.ts'
import type { ProjectId } from '../../../../src/kernel/scope.ts'
import { type Client, makeClient } from '../../../kit/http/client.ts'
import type { Shown } from '../../../kit/proof.ts'
import { drawing, partsIn, requestKinds, resourcesIn } from '../../../kit/traffic.ts'
import { randomFrom } from '../contention.ts'
import type { Installation, Served } from './installation.ts'
import { type Known, reads } from './reads.ts'

/** A step of a walk. The numbers decide what it does, whatever the steps before it have left behind. */
export interface Step {
  readonly what: 'write' | 'read' | 'compare' | 'revoke'
  /** The process that it goes to. */
  readonly to: number
  readonly seed: number
}

/** So many steps lie between the beginning of a Project and its end. */
const steps = 150
/** The paths that are asked for again; the oldest one makes room for another. */
const mostPaths = 16

export const anyWalk = fc.array(
  fc.record<Step>({
    what: fc.oneof(
      { weight: 9, arbitrary: fc.constant('write' as const) },
      { weight: 9, arbitrary: fc.constant('read' as const) },
      { weight: 4, arbitrary: fc.constant('compare' as const) },
      { weight: 1, arbitrary: fc.constant('revoke' as const) },
    ),
    to: fc.nat(2),
    seed: fc.nat(0x7fff_ffff),
  }),
  { minLength: 1, maxLength: steps, size: 'max' },
)

/** What is always there to be asked for. */
const anyList = `/${requestKinds[0]!.family}`

/** A token that is no more, which each process may know for as long as it says. */
export interface Revoked {
  readonly token: string
  readonly path: string
}

export class Walk {
  readonly #processes: readonly Served[]
  readonly #keeping: readonly Client[]

  readonly #clients: readonly Client[]
  readonly #project: ProjectId
  readonly #there = new Map<string, Shown[]>()
  readonly #actions: number[] = []
  readonly #paths: string[] = []
  readonly #done: string[] = []
  readonly revoked: Revoked[] = []
  /** Requests that changed something or were compared. */
  operations = 0

  constructor({ keeping, truth }: Installation, { token, project }: { token: string; project: ProjectId }) {
    this.#processes = [...keeping, truth]
    this.#clients = this.#processes.map(({ url }) => clientOf(url, token))
    this.#keeping = this.#clients.slice(0, -1)
    this.#project = project
  }

  async take({ what, to, seed }: Step): Promise<void> {
    const random = randomFrom(seed)
    if (what === 'write') await this.#write(to, random)
    else if (what === 'read') await this.#read(random)
    else if (what === 'compare') await this.compare()
    else await this.#revoke(to, random)
  }

  /** Compares all that has been asked for, once nothing changes any more. */
  async compare(): Promise<void> {
    await this.#rest()
    await Promise.all(this.#paths.map((path) => this.#compareOne(path)))
    this.operations += this.#paths.length
  }

  async #compareOne(path: string): Promise<void> {
    const answers = await Promise.all(this.#clients.map((client) => client.get(path)))
    // Links lead to the process that was asked.
    const said = answers.map(({ status, text }, i) => [
      status,
      text.replaceAll(new URL(this.#processes[i]!.url).origin, ''),
    ])
    const expected = said.pop()!
    for (const [index, found] of said.entries()) {
      const last = this.#done.slice(-10).join('\n')
      assert.deepEqual(found, expected, `process ${index + 1} does not say of ${path} what is there, after\n${last}`)
    }
    const { status, text, body } = answers.at(-1)!
    assert.ok(status < 500, text)
    for (const { id } of body?.actions ?? []) this.#actions.push(id)
  }

  /** Waits until no action runs, as the process says that keeps nothing. */
  async #rest(): Promise<void> {
    for (;;) {
      const running = await this.#processes.at(-1)!.order('running', this.#project)
      if (running === 0) return this.#turn()
      await delay(2)
    }
  }

  /** On SQLite, reads of one turn of the event loop see what was there at its beginning, also after others have written. */
  async #turn(): Promise<void> {
    await Promise.all(this.#processes.map((served) => served.order('turn', null)))
  }

  /** Sends a change, while others ask: what they read meanwhile may be kept too late. */
  async #write(to: number, random: () => number): Promise<void> {
    const { draw } = this.#known(random)
    const request = await requestKinds[draw.number(requestKinds.length)]!.make(draw)
    if (!request) return
    const { method, path, body } = request
    const meanwhile = this.#keeping.map((client) => client.get(this.#paths[draw.number(this.#paths.length)] ?? anyList))
    const [answer] = await Promise.all([this.#clients[to]!.request(method, path, { body }), ...meanwhile])
    assert.ok(answer.status < 500, `${method} ${path}: ${answer.text}`)
    this.#done.push(`${answer.status} of process ${to + 1}: ${method} ${path} ${JSON.stringify(body) ?? ''}`)
    this.operations++
    for (const { family, resource } of resourcesIn(answer)) this.#remember(family, resource)
    if (answer.body?.action) this.#actions.push(answer.body.action.id)
  }

  async #read(random: () => number): Promise<void> {
    const known = this.#known(random)
    const path = reads[known.draw.number(reads.length)]!(known)
    if (path === undefined) return
    if (!this.#paths.includes(path)) this.#paths.push(path)
    if (this.#paths.length > mostPaths) this.#paths.shift()
    await Promise.all(this.#keeping.map((client) => client.get(path)))
  }

  /** A token that every process knows, and that one of them revokes. */
  async #revoke(to: number, random: () => number): Promise<void> {
    const path = this.#paths[Math.floor(random() * this.#paths.length)] ?? anyList
    const token = await this.#processes[to]!.order('token', this.#project)
    const clients = this.#processes.map(({ url }) => clientOf(url, token))
    await this.#turn()
    for (const [index, client] of clients.entries()) {
      const { status, text } = await client.get(path)
      assert.notEqual(status, 401, `process ${index + 1} does not know the new token of process ${to + 1}: ${text}`)
    }
    await this.#processes[(to + 1) % this.#processes.length]!.order('revoke', token)
    await this.#turn()
    assert.equal((await clients.at(-1)!.get(path)).status, 401, 'who keeps nothing refuses a revoked token at once')
    this.revoked.push({ token, path })
    this.operations++
  }

  #known(random: () => number): Known {
    const number = (limit: number) => Math.floor(random() * limit)
    const any = (family: string) => {
      const all = this.#there.get(family) ?? []
      return all[number(all.length)]
    }
    return {
      draw: drawing({ number, any: async (family) => any(family), parts: (path) => this.#parts(path) }),
      any,
      anyAction: () => this.#actions[number(this.#actions.length)],
    }
  }

  async #parts(path: string): Promise<readonly Shown[]> {
    return partsIn(path, (await this.#clients[0]!.get(path)).body)
  }

  /** Also what is deleted meanwhile: it has to be gone everywhere. */
  #remember(family: string, resource: Shown): void {
    const others = (this.#there.get(family) ?? []).filter(({ id }) => id !== resource.id)
    this.#there.set(family, [...others, resource].slice(-8))
  }
}

/** A client of a process, which also finds what only Wolke has. */
export function clientOf(url: string, token: string): Client {
  const client = makeClient(url, token)
  const isOwn = (path: string) => path.startsWith(wolkeBase)
  return { ...client, get: (path) => client.get(isOwn(path) ? new URL(path, url).href : path) }
}
