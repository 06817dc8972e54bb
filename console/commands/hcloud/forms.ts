/** The vocabulary of the table that says how operations are written for the hcloud command line. */
import type { BodyOf, Endpoint, QueryOf } from '../../../src/kernel/contract/contract.ts'
import type { Asked, Known, Reason, ReasonKind } from '../request.ts'
import { optionOf } from './options.ts'

/** The reason why something has no form for hcloud; without `what` it is about the field that it stands for. */
export class Refusal {
  readonly kind: ReasonKind
  readonly what: string | undefined
  constructor(kind: ReasonKind, what?: string) {
    this.kind = kind
    this.what = what
  }

  reasonOf(field?: string): Reason {
    return { kind: this.kind, what: this.what ?? field }
  }
}

/** A command of hcloud: what it is called, such as `server add-label`, its options, and what it is about. */
export interface Call {
  readonly verb: string
  readonly options?: readonly string[]
  readonly own: readonly string[]
}

/** Further commands after the main one, or in its place when that has nothing to say. */
export interface More {
  readonly commands: readonly Call[]
}

/** A word besides the options, such as `hcloud server attach-iso 42 NAME`. */
export interface Positional {
  readonly positional: readonly string[]
}

/** The input of a command, from its standard input or from files that are written before. */
export interface Input {
  readonly flag: readonly string[]
  readonly input?: string
  readonly files?: Readonly<Record<string, string>>
}

/** Words that only hcloud from a minor version on knows: 54 is 1.54. */
interface Newer {
  readonly since: number
  readonly words: Words
}

export type Words = readonly string[] | Positional | Input | More | Newer | Refusal

/** The form of a field: the option of that name, what a function says, or that hcloud has no option for it. */
type Field<V, B> = string | Refusal | ((value: NonNullable<V>, context: Context<B>) => Words)

export interface Context<B> {
  /** The body as it is sent: null says something where absence says nothing. */
  readonly body: B
  readonly params: Readonly<Record<string, string | number>>
  readonly known: Known
}

type Fields<T> = { readonly [K in keyof Required<T>]: Field<T[K], T> }

/** The form of an operation: its words with `{id}` for a parameter, and the form of every field of its body. */
interface Command<E extends Endpoint> {
  readonly words: readonly string[]
  readonly fields: BodyOf<E> extends undefined ? Record<never, never> : Fields<BodyOf<E>>
  readonly query?: Partial<{ readonly [K in keyof QueryOf<E>]: AnyField }>
  /** Requests that do the rest one by one, each with its own form, for fields that are `later`. */
  readonly rest?: (context: Context<BodyOf<E>>) => readonly Asked[] | Refusal
  /** Options that the command needs where the request says nothing, by field. */
  readonly defaults?: Readonly<Record<string, unknown>>
  /** The options that stand for what is asked afterwards, by operation. */
  readonly afterwards?: Readonly<Record<string, readonly string[]>>
  /** The minor version of hcloud that was the first to have the command. */
  readonly since?: number
}

type Form<E extends Endpoint> = Command<E> | Refusal

/** A form for every endpoint: a missing one does not compile, nor does one that misses a field. */
export type Forms<T> = { readonly [K in keyof T]: T[K] extends Endpoint ? Form<T[K]> : never }

/** A form as the renderer reads it, whatever its operation. */
export interface AnyCommand {
  readonly words: readonly string[]
  readonly fields: Readonly<Record<string, AnyField>>
  readonly query?: Readonly<Record<string, AnyField>>
  readonly rest?: (context: Context<never>) => readonly Asked[] | Refusal
  readonly defaults?: Readonly<Record<string, unknown>>
  readonly afterwards?: Readonly<Record<string, readonly string[]>>
  readonly since?: number
}

export type AnyField = string | Refusal | ((value: never, context: Context<never>) => Words)

export const noCommand = new Refusal('command')
export const noOption = new Refusal('option')
export const noValue = new Refusal('value')

/** The same refusal for several operations. */
export function refuseAll<const K extends string>(keys: readonly K[], why: Refusal): Readonly<Record<K, Refusal>> {
  return Object.fromEntries(keys.map((key) => [key, why])) as Record<K, Refusal>
}

// ---- Fields that many operations have ------------------------------------------------------------------------------

/** Options that hcloud has from a minor version on; a value that needs none is said by every version. */
export const since =
  <V>(minor: number, field: string | ((value: V) => readonly string[] | Input)) =>
  (value: V): Words => {
    const words = typeof field === 'string' ? optionOf(field, value) : field(value)
    return Array.isArray(words) && words.length === 0 ? [] : { since: minor, words }
  }

/** Writes the option only for true, because false is what hcloud assumes anyhow. */
export const flag =
  (name: string) =>
  (value: boolean): readonly string[] =>
    value ? [name] : []

export const positional = (value: string | number): Words => ({ positional: [String(value)] })

/** Says nothing: the value follows from another one, or is what hcloud does anyhow. */
export const ignored = (): Words => []

/** The rest of the requests says it. */
export const later = ignored

/** Asks further requests of what was just made, by its name. hcloud takes digits for an id, that of something else. */
export function ofMade(name: string, rest: readonly Omit<Asked, 'params'>[]): readonly Asked[] | Refusal {
  if (rest.length > 0 && /^\+?\d+$/.test(name)) return new Refusal('value', 'name')
  return rest.map((asked) => ({ ...asked, params: { id: name } }))
}

type Params = Context<unknown>['params']

/** Returns the parameters of the path that name the resource of a command. */
const ownOf = (params: Params, names: readonly string[]) => names.map((name) => String(params[name]))

/** Changes labels one by one, which needs to know those that are there. */
export const labelsOf =
  (kind: string, names: readonly string[] = ['id']) =>
  (wanted: Readonly<Record<string, string>>, { params, known }: Context<unknown>): Words => {
    const { labels } = known
    if (!labels) return new Refusal('labels')
    const own = ownOf(params, names)
    const removed = Object.keys(labels).filter((key) => !(key in wanted))
    const changed = Object.entries(wanted).filter(([key, value]) => labels[key] !== value)
    return {
      commands: [
        ...removed.map((key) => ({ verb: `${kind} remove-label`, own: [...own, key] })),
        ...changed.map(([key, value]) => {
          return { verb: `${kind} add-label`, options: ['--overwrite'], own: [...own, `${key}=${value}`] }
        }),
      ],
    }
  }

/** The levels of a protection, which hcloud sets or takes away together. */
export function protection<const L extends string>(
  kind: string,
  levels: readonly L[],
  names: readonly string[] = ['id'],
) {
  const change = (on: boolean, { body, params }: Context<Readonly<Partial<Record<L, boolean>>>>): Words => {
    const concerned = levels.filter((level) => typeof body[level] === 'boolean')
    if (concerned.some((level) => body[level] !== on)) return noValue
    const verb = `${kind} ${on ? 'enable' : 'disable'}-protection`
    return { commands: [{ verb, own: [...ownOf(params, names), ...concerned] }] }
  }
  // The command is that of all levels together, so only one of them says it.
  const silent = (on: boolean, context: Context<Readonly<Partial<Record<L, boolean>>>>): Words => {
    const first = levels.find((level) => typeof context.body[level] === 'boolean')
    return first === levels[0] ? [] : change(on, context)
  }
  return Object.fromEntries(levels.map((level, index) => [level, index === 0 ? change : silent])) as Record<
    L,
    typeof change
  >
}

interface ReverseName {
  readonly dns_ptr?: string | null
}

/** The name of an address, or null for the one that it has by itself. hcloud cannot say an empty one. */
export const reverseName = {
  ip: (ip: string, { body: { dns_ptr: name } }: Context<ReverseName>): Words => {
    if (name === undefined) return noValue
    return name === null ? { since: 47, words: ['--ip', ip, '--reset'] } : ['--ip', ip]
  },
  dns_ptr: (name: string): Words => (name === '' ? noValue : ['--hostname', name]),
}

// ---- Operations that all families have -----------------------------------------------------------------------------

/** The operations on Actions that every family has. */
export const actionForms = refuseAll(['listFamilyActions', 'getFamilyAction', 'listActions', 'getAction'], noCommand)

const everyPage = (): Words => []

/** The parameters of every list: hcloud reads all pages, so they say nothing. */
export const paging = { page: everyPage, per_page: everyPage }
export const sorted = { ...paging, sort: '--sort' }
export const listed = { ...sorted, label_selector: '--selector', name: noOption }

/** The commands of a kind of resource but for its creation and its change. */
export const usual = (kind: string, filters: Readonly<Record<string, AnyField>> = {}, id = '{id}') => ({
  list: { words: [kind, 'list'], fields: {}, query: { ...listed, ...filters } },
  get: { words: [kind, 'describe', id], fields: {} },
  remove: { words: [kind, 'delete', id], fields: {} },
})

/** hcloud reads one kind of measurement at a time and chooses the steps itself. */
export const metricsQuery = {
  type: (value: string | readonly string[]): Words => {
    const kinds = typeof value === 'string' ? value.split(',') : value
    return kinds.length === 1 ? ['--type', kinds[0]!] : new Refusal('oneValue')
  },
  start: '--start',
  end: '--end',
  step: noOption,
}

// ---- The catalogue ----------------------------------------------------------------------------------------------------

/** The commands of what the catalogue has. */
export const catalogue = (kind: string, query: object) => ({
  list: { words: [kind, 'list'], fields: {}, query: { name: noOption, ...query } },
  get: { words: [kind, 'describe', '{id}'], fields: {} },
})
