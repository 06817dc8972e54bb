/** The public API within this process: requests of a caller in a Project, checked and written down like all others. */
import { setTimeout as delay } from 'node:timers/promises'
import { actions, families } from '../../families.ts'
import { type Identity, principalIn, refusalOf } from '../../kernel/access/principal.ts'
import type { Drivers } from '../../kernel/actions/define.ts'
import { type AuditActor, Note } from '../../kernel/audit/note.ts'
import type { ApiCall, Endpoint, Handlers } from '../../kernel/contract/contract.ts'
import { type BodyCheck, bodyCheck, parseQuery } from '../../kernel/contract/input.ts'
import { LaterReply } from '../../kernel/contract/later.ts'
import { ApiError } from '../../kernel/errors.ts'
import { onBehalfOf, onOwnBehalf } from '../../kernel/process/behalf.ts'
import type { Fields } from '../../kernel/resource/seed.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import type { Time } from '../time.ts'
import type { Given } from './access.ts'
import type { SeedOperation } from './kinds.ts'
import type { Ground } from './plant.ts'

/** The parts of a cloud that requests are carried out with. */
export interface Parts {
  readonly platform: Platform
  readonly drivers: Drivers
  readonly vendor: string
  readonly time: Time
}

/** Seeds are for operators, who may do everything in all Projects. */
const operator = (name: string): Identity => ({
  actor: { kind: 'management', id: 0, name },
  roles: new Map(),
  isOperator: true,
  elevatedUntil: Number.POSITIVE_INFINITY,
  bucket: '',
})

/** The pauses after which an action is asked about again, in milliseconds. */
const firstPauseMs = 2
const longestPauseMs = 200

const getAction = { family: actions, key: 'get', endpoint: actions.endpoints.get! }

export class Within implements Ground {
  readonly #parts: Parts
  readonly #actor: AuditActor
  readonly #projectId: ProjectId
  readonly #handlers = new Map<string, Handlers<Record<string, Endpoint>>>()
  readonly #checks = new Map<Endpoint, BodyCheck>()

  constructor(parts: Parts, actor: AuditActor, projectId: ProjectId) {
    this.#parts = parts
    this.#actor = actor
    this.#projectId = projectId
  }

  async call({ endpoint, family, key }: SeedOperation, { params = {}, query = {}, body }: Given): Promise<Fields> {
    const { clock } = this.#parts.platform
    const caller = principalIn(operator(this.#actor.name), this.#projectId)
    const refusal = refusalOf(caller, endpoint, clock.now())
    if (refusal) throw refusal
    const own = endpoint.body && structuredClone(body ?? {})
    if (endpoint.body) this.#checkOf(endpoint)(own)
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const call = {
      caller,
      scope: caller.scope,
      isReadOnly: caller.role === 'viewer',
      params,
      query: parseQuery(endpoint.query ?? {}, search.toString(), clock.now()),
      body: own,
      origin: () => '',
      browser: () => {
        throw new Error('no browser asks')
      },
    } as unknown as ApiCall<Endpoint>
    const note = endpoint.method === 'GET' ? undefined : this.#noteOf(endpoint, params)
    const handle = this.#handlersOf(family.name)[key]!
    // The request that asks for the seed has an entry of its own in the audit log.
    const made = await onOwnBehalf(() => onBehalfOf(this.#projectId, () => handle(call), note))
    const reply = made instanceof LaterReply ? await made.read() : made
    return (reply ?? {}) as Fields
  }

  async finish(begun: readonly Fields[]): Promise<void> {
    for (const { id } of begun) {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
        const { action } = await this.call(getAction, { params: { id } })
        if (action.status === 'success') break
        if (action.status === 'error')
          throw new ApiError('service_error', `${action.command}: ${action.error?.message}`)
        await onOwnBehalf(() => this.#parts.time.settle())
        await delay(pauseMs)
      }
    }
  }

  #noteOf({ method, path, family = '', status }: Endpoint, params: NonNullable<Given['params']>): Note {
    return new Note({
      actor: this.#actor,
      scope: { projectId: this.#projectId },
      operation: `${method} ${path}`,
      family,
      subjects: Object.values(params),
      status,
      correlationId: '',
      network: '',
    })
  }

  #handlersOf(name: string) {
    const { platform, drivers } = this.#parts
    const family = families.find((one) => one.name === name)!
    const handlers = this.#handlers.get(name) ?? family.handlers(platform, drivers)
    this.#handlers.set(name, handlers)
    return handlers as unknown as Readonly<Record<string, (call: ApiCall<Endpoint>) => Promise<unknown>>>
  }

  #checkOf(endpoint: Endpoint): BodyCheck {
    const check = this.#checks.get(endpoint) ?? bodyCheck(endpoint.body!, this.#parts.vendor)
    this.#checks.set(endpoint, check)
    return check
  }
}
