/** Carries out what is planned. What a run has made is taken back when something of it fails. */
import { ApiError, invalidInput, type Problem } from '../../kernel/errors.ts'
import type { Fields } from '../../kernel/resource/seed.ts'
import { type Given, paramsOf } from './access.ts'
import type { Addition } from './compare.ts'
import type { Part, SeedKind, SeedOperation } from './kinds.ts'
import { withIds } from './names.ts'
import type { Plan, SeedEntry } from './plan.ts'
import type { Present, Resource } from './present.ts'

/** A Project in which operations are carried out. */
export interface Ground {
  call(operation: SeedOperation, given: Given): Promise<Fields>
  /** Waits for actions. Errors: those of the actions. */
  finish(actions: readonly Fields[]): Promise<void>
}

type Undo = () => Promise<void>

/** A run remembers what it has done in all Projects. */
export class Run {
  readonly #undo: { readonly what: string; readonly undo: Undo }[] = []

  did(what: string, undo: Undo): void {
    this.#undo.push({ what, undo })
  }

  /** Takes everything back, the last first; returns what could not be. */
  async takeBack(): Promise<string[]> {
    const left: string[] = []
    for (const { what, undo } of this.#undo.reverse()) {
      try {
        await undo()
      } catch (error) {
        const isGone = error instanceof ApiError && error.code === 'not_found'
        if (!isGone) left.push(`${what}: ${(error as Error).message}`)
      }
    }
    return left
  }
}

export interface Done {
  /** Names of fields of files, such as `projects[0].servers[1]`. */
  readonly created: string[]
  readonly changed: string[]
  /** Fields whose values in the file are others than those of the Project, which stay. */
  readonly left: string[]
}

/** A field of a body, as a field below the value that it was made of; `part` is what brings the value about. */
function below(name: string, part: Part | undefined): string {
  const { field, each } = part ?? {}
  if (field === undefined || !name.startsWith(field)) return `.${name}`
  return name.slice(field.length).replace(each ? '[0]' : '', '')
}

/** A refusal as one of the fields of a file: `place` is what brought it about, which is a part or a whole entry. */
export function asProblem(place: string, error: ApiError, part?: Part): ApiError {
  const given = (
    error.details as { readonly fields?: readonly { name: string; messages?: readonly string[] }[] } | null
  )?.fields
  const problems = (given ?? []).flatMap(({ name, messages = [error.message] }): Problem[] =>
    messages.map((message) => ({ field: place + below(name, part), message })),
  )
  return invalidInput(problems.length > 0 ? problems : [{ field: place, message: `${error.message} (${error.code})` }])
}

async function placed<T>(place: string, work: () => Promise<T>, part?: Part): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) throw asProblem(place, error, part)
    throw error
  }
}

/** The actions of a reply. */
const actionsIn = ({ action, next_actions = [], actions = [] }: Fields): Fields[] =>
  [action, ...next_actions, ...actions].filter(Boolean)

/** A resource that is made, as soon as its actions have ended. */
interface Begun {
  readonly entry: SeedEntry
  readonly id: number
  readonly actions: readonly Fields[]
}

/** The codes of refusals that end with the actions of others. */
const waitsForOthers: ReadonlySet<string> = new Set(['locked', 'conflict'])

export class Planting {
  readonly #ground: Ground
  readonly #run: Run
  readonly #ids: Map<string, number>
  readonly done: Done = { created: [], changed: [], left: [] }

  constructor(ground: Ground, present: Present, run: Run) {
    this.#ground = ground
    this.#run = run
    this.#ids = new Map(present.resources.map(({ kind, name, id }) => [`${kind.type} ${name}`, id]))
  }

  /** Errors: `invalid_input` by field. */
  async carryOut({ levels, known }: Plan): Promise<void> {
    for (const level of levels) {
      const begun: Begun[] = []
      const running: Begun[] = []
      for (const entry of level) {
        const one = await placed(entry.field, () => this.#createWhen(entry, () => this.#finishAll(running)))
        begun.push(one)
        running.push(one)
      }
      await this.#finishAll(running)
      for (const { entry, id } of begun) await this.#complete(entry, id)
    }
    for (const { entry, resource, difference } of known) {
      const { changed, added, left } = difference
      if (Object.keys(changed).length > 0) await placed(entry.field, () => this.#change(entry, resource, changed))
      for (const addition of added) await this.#add(entry, resource.id, addition)
      if (added.length + Object.keys(changed).length > 0) this.done.changed.push(entry.field)
      this.done.left.push(...left.map((name) => `${entry.field}.${name}`))
    }
  }

  #withIds(kind: SeedKind, entry: Fields): Fields {
    return withIds(kind, entry, (types, name) =>
      types.map((type) => this.#ids.get(`${type} ${name}`)).find((id) => id !== undefined),
    )
  }

  async #finishAll(running: Begun[]): Promise<void> {
    for (const { entry, actions } of running.splice(0)) await placed(entry.field, () => this.#ground.finish(actions))
  }

  /** What is refused because of what is still under way, such as two snapshots of a server, is made after that. */
  async #createWhen(entry: SeedEntry, finished: () => Promise<void>): Promise<Begun> {
    try {
      return await this.#create(entry)
    } catch (error) {
      if (!(error instanceof ApiError) || !waitsForOthers.has(error.code)) throw error
      await finished()
      return this.#create(entry)
    }
  }

  async #create(entry: SeedEntry): Promise<Begun> {
    const { kind, name, given, field } = entry
    const { at, naming = 'name', always } = kind.seed
    const others = new Set(kind.parts.filter(({ isCreated }) => !isCreated).map((part) => part.name))
    const fields = Object.entries(this.#withIds(kind, given)).filter(([key]) => !others.has(key) && key !== 'name')
    const { [at ?? '']: owner, ...body } = Object.fromEntries(fields) as Record<string, unknown>
    const reply = await this.#ground.call(kind.create, {
      ...(at === undefined ? {} : { params: { id: owner as number } }),
      body: { ...body, [naming]: name, ...always },
    })
    const { id } = reply[kind.type]
    this.#ids.set(`${kind.type} ${name}`, id)
    const actions = actionsIn(reply)
    this.#run.did(field, async () => {
      await this.#ended(actions)
      await this.#remove(kind, id)
    })
    this.done.created.push(field)
    return { entry, id, actions }
  }

  /** Brings about what a new resource has besides. */
  async #complete(entry: SeedEntry, id: number): Promise<void> {
    const { kind, given } = entry
    for (const part of kind.parts.filter(({ isCreated }) => !isCreated)) {
      const { name, each, when } = part
      const value = given[name] ?? undefined
      if (when ? !when(value) : value === undefined) continue
      const values = each
        ? (value as readonly unknown[]).map((one, at) => ({ one, at: `[${at}]` }))
        : [{ one: value, at: '' }]
      for (const { one, at } of values) await this.#add(entry, id, { part, value: one, field: `.${name}${at}` })
    }
  }

  #add({ kind, field }: SeedEntry, id: number, addition: Addition): Promise<void> {
    return placed(field + addition.field, () => this.#bringAbout(kind, id, addition), addition.part)
  }

  async #bringAbout(kind: SeedKind, id: number, { part, value }: Addition): Promise<void> {
    const body = this.#bodyOf(kind, part, value)
    const shown = part.body ? await this.#read(kind, id) : {}
    const given = part.when ? {} : { body: part.body ? part.body(body, shown) : body }
    await this.#do(part.operation, id, given)
    const { undoing } = part
    if (undoing) this.#run.did(`${kind.type} ${id}`, () => this.#do(undoing, id, undone(part, undoing, body, shown)))
    else if (isProtection(body)) {
      const none = Object.fromEntries(Object.keys(body).map((key) => [key, false]))
      this.#run.did(`${kind.type} ${id}`, () => this.#do(part.operation, id, { body: none }))
    }
  }

  /** A value of a part with ids. */
  #bodyOf(kind: SeedKind, { name, each }: Part, value: unknown): Fields {
    const entry = this.#withIds(kind, { [name]: each ? [value] : value })
    return each ? entry[name][0] : entry[name]
  }

  async #read({ type, list: { family } }: SeedKind, id: number): Promise<Fields> {
    const operation = { endpoint: family.endpoints.get!, family, key: 'get' }
    return (await this.#ground.call(operation, { params: paramsOf(operation, id) }))[type]
  }

  async #do(operation: SeedOperation, id: number, { params, body }: Given): Promise<void> {
    const given = {
      params: { ...paramsOf(operation, id), ...params },
      ...(body && operation.endpoint.body ? { body } : {}),
    }
    await this.#ground.finish(actionsIn((await this.#ground.call(operation, given)) ?? {}))
  }

  async #change({ kind, field }: SeedEntry, { id, shown }: Resource, changed: Fields): Promise<void> {
    const before = Object.fromEntries(Object.keys(changed).map((name) => [name, shown[name]]))
    const put = (fields: Fields) => this.#do(kind.update!, id, { body: this.#withIds(kind, fields) })
    await put(changed)
    this.#run.did(field, () => put(before))
  }

  /** Waits for actions, whether they succeed or not: nothing else can be done meanwhile. */
  async #ended(actions: readonly Fields[]): Promise<void> {
    for (const action of actions)
      await this.#ground.finish([action]).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error
      })
  }

  async #remove(kind: SeedKind, id: number): Promise<void> {
    const { family } = kind.list
    for (const { by, body } of kind.seed.release?.(await this.#read(kind, id)) ?? []) {
      const [key, endpoint] = Object.entries(family.endpoints).find(([, { command }]) => command === by)!
      await this.#do({ key, endpoint, family }, id, body ? { body } : {})
    }
    await this.#do(kind.remove, id, {})
  }
}

const isProtection = (body: unknown) =>
  typeof body === 'object' && body !== null && Object.values(body).every((value) => typeof value === 'boolean')

/** The request that takes an element back which `body` has added. */
function undone({ field, params, undoBody }: Part, { endpoint }: SeedOperation, body: Fields, shown: Fields): Given {
  if (undoBody) return { body: undoBody(body, shown) }
  const names = Object.keys(endpoint.body?.properties ?? {})
  const own = field === undefined ? names.map((name) => [name, body[name]] as const) : [[names[0]!, [body]] as const]
  const given = Object.fromEntries(own.filter(([, value]) => value !== undefined))
  return { body: given, ...(params ? { params: params(body) } : {}) }
}
