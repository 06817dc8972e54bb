/** The environment and the definition of a family. The list of families is in families.ts. */
import type { TSchema } from 'typebox'
import type { Capabilities } from './catalogue/capabilities.ts'
import type { Catalogue, Price } from './catalogue/catalogue.ts'
import { deprecationsIn, type Entry } from './catalogue/deprecations.ts'
import { familyActionEndpoints, type ResourceParam } from './kernel/actions/contract.ts'
import type { ActionDefinition, Drivers } from './kernel/actions/define.ts'
import type { DurationTable } from './kernel/actions/durations.ts'
import { familyActionRoutes } from './kernel/actions/routes.ts'
import { publicBase } from './kernel/contract/bases.ts'
import type { Change } from './kernel/contract/changes.ts'
import type { Endpoints, Handlers } from './kernel/contract/contract.ts'
import type { Spelling } from './kernel/contract/spelling.ts'
import type { Database, Queries, Transaction } from './kernel/data/db.ts'
import type { Locks } from './kernel/data/locks.ts'
import type { Clock, ClockEvent } from './kernel/process/clock.ts'
import type { Faults } from './kernel/process/faults.ts'
import type { GaugeGroup } from './kernel/process/gauges.ts'
import type { Again } from './kernel/process/jobs.ts'
import type { Seen } from './kernel/process/seen.ts'
import type { Desired } from './kernel/resource/desired.ts'
import type { DefaultLimits, LimitedKind } from './kernel/resource/limits.ts'
import type { Resource, ResourceItem, ResourceTable } from './kernel/resource/resource.ts'
import type { Seed } from './kernel/resource/seed.ts'
import type { ProjectId, ProjectScope } from './kernel/scope.ts'
import type { SealedColumn, Secrets } from './kernel/secrets/secrets.ts'
import type { DefaultNames } from './protocols/net/default-names.ts'

/** Settings by family. Families add theirs by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Settings {}

/** The settings that an operator gives; defaults of the families fill in the rest. */
export type GivenSettings = { readonly [Name in keyof Settings]?: Partial<Settings[Name]> }

export interface Platform {
  readonly db: Database
  readonly clock: Clock
  readonly catalogue: Catalogue
  /** Tells by the id of a location what it can do at the moment. */
  readonly capabilities: (location: number) => Capabilities
  /** The name of what runs the machines of a location, by its id. */
  readonly infrastructureOf: (location: number) => string
  /** The reverse DNS names of addresses that were given no others. */
  readonly defaultNames: DefaultNames
  readonly faults: Faults
  /** The path of the family whose resources are of a type, such as `floating_ips`. */
  readonly familyOf: (type: string) => string
  /** Limits of Projects without limits of their own. */
  readonly limits: DefaultLimits
  readonly secrets: Secrets
  readonly settings: Settings
  /** Lets time pass until something is over, in a lab whose clock skips (src/lab/time.ts). */
  readonly skip?: (isOver: () => Promise<boolean>) => Promise<void>
}

/** Gives the next events of a family after a time, as an `EventSource` does. */
export type Events = (platform: Platform, afterMs: number, limit: number) => Promise<readonly ClockEvent[]>

/**
 * A background job of a family. Every process runs it periodically, so it must tolerate others running at the same
 * time.
 */
export interface Job {
  /** Operators see it. The name of a function would be another one in the bundle. */
  readonly name: string
  run(platform: Platform, drivers: Drivers): Promise<void> | Promise<Again>
  /**
   * The events that give it something to do; `whenever` as in `Due`; `shared` for one that finds what other processes have
   * committed, where several may share the database, within half a second.
   */
  readonly due: Events | 'whenever' | 'shared'
}

/** So many of something that has a price; undefined for what the price list leaves out. Counts are whole numbers. */
export interface Cost {
  readonly projectId: ProjectId
  readonly monthly: Price | undefined
  readonly count: number
}

/** Tells what some Projects have that costs something. */
export type Costs = (platform: Platform, ids: readonly ProjectId[]) => Promise<readonly Cost[]>

/** The price of a resource or a part of it: net amounts by the hour, and the most for a month. */
export interface Rate {
  /** Such as `backups`; missing for the resource itself. */
  readonly part?: string
  readonly hourly: string
  readonly monthly: string
}

/** Tells what a resource costs by its columns; nothing is what the price list leaves out. */
export type Rates<Row> = (platform: Pick<Platform, 'catalogue'>, row: Row) => readonly Rate[]

/** What a family is given to look at itself, as a part of the installation. */
export interface CheckupParts {
  readonly query: Queries
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Whether public DNS delegates a zone to us; undefined where that is not to be asked. Errors: nobody answers. */
  readonly isDelegated: ((zone: string) => Promise<boolean>) | undefined
  /** The names of our name servers. */
  readonly nameservers: readonly string[]
}

/** Looks at all that an installation has of a family, for operators (docs/operating/doctor.md). */
export type Checkup = (parts: CheckupParts) => Promise<readonly Seen[]>

/** Counts what somebody has to care about in many Projects at once. */
export interface States {
  /**
   * Counts what of it has failed; what ends by a time is counted as that. Of what only the infrastructure knows, what it
   * tells at once is counted.
   */
  failed?(
    platform: Platform,
    ids: readonly ProjectId[],
    until: string,
    drivers: Drivers,
  ): Promise<ReadonlyMap<ProjectId, number>>
  /** Counts what of it ends by a time in a way that somebody has to care about. */
  ending?(platform: Platform, ids: readonly ProjectId[], until: string): Promise<ReadonlyMap<ProjectId, number>>
}

/** What the gauges of families are read from. */
export interface FamilyWorld {
  readonly platform: Platform
  readonly drivers: Drivers
}

/** A family: one part of the API, its contract and its implementation. */
export interface Family {
  /** Its path, such as `firewalls`. */
  readonly name: string
  readonly spelling: Spelling
  /** The root of the API below which its path is. */
  readonly base: string
  /** Further roots below which the same paths answer. */
  readonly otherBases: readonly string[]
  /** All endpoints, including those of its actions. */
  readonly endpoints: Endpoints
  readonly actions: readonly ActionDefinition[]
  /** The time that they take on a public cloud, by their commands. */
  readonly durations: DurationTable
  readonly jobs: readonly Job[]
  /** The entries of the catalogue that are its resources, each of which may be deprecated. */
  entries(catalogue: Catalogue): readonly Entry[]
  /** These events of its need no job: something is read differently from then on. */
  readonly events: Events
  /** Events for which services beside the API do something. */
  readonly serviceEvents: Events
  /** Desired states of its resources that the infrastructure must follow. */
  readonly desired: readonly Desired[]
  /** Kinds of its resources whose number per Project is limited. */
  readonly limited: readonly LimitedKind[]
  /** The order in which its transactions take locks. */
  readonly locks: Locks
  /** The columns in which its secrets are. */
  readonly sealed: readonly SealedColumn[]
  /** Settings for what the operator leaves out. `domain` is the domain of the installation. */
  defaults(domain: string): Partial<Settings>
  /** Dated changes that are about it. */
  readonly changes: readonly Change[]
  readonly costs: Costs
  /** It takes rows of its table, whose name is the type of its resources. */
  readonly rates: Rates<never>
  readonly states: States
  /** Numbers about all Projects together. */
  readonly gauges: readonly GaugeGroup<FamilyWorld>[]
  readonly checkup: Checkup | undefined
  /** Tells whoever has to know of it that a Project has nothing of the family any more; the rows go after that. */
  withdraw(tx: Transaction, scope: ProjectScope): Promise<void>
  /** Says how its resources stand in seed files; undefined where people create none. */
  readonly seed: Seed | undefined
  /** One handler for each endpoint. */
  handlers(platform: Platform, drivers: Drivers): Handlers<Endpoints>
  /** Those that no other cloud has, below Wolke's own root. */
  readonly own: OwnEndpoints
  readonly facilities: Facilities | undefined
}

/** What an installation has for a family, whichever location is asked for. */
export interface Facilities {
  readonly schema: TSchema
  /** Of that schema. */
  tell(drivers: Drivers): object
}

/** Endpoints below Wolke's own root, with a handler for each. */
export interface OwnEndpoints {
  readonly endpoints: Endpoints
  handlers(platform: Platform, drivers: Drivers): Handlers<Endpoints>
}

/** Declares them with the types of their rows. */
export function defineOwn<const T extends Endpoints>(
  endpoints: T,
  handlers: (platform: Platform, drivers: Drivers) => Handlers<T>,
): OwnEndpoints {
  return { endpoints, handlers: handlers as unknown as OwnEndpoints['handlers'] }
}

const nothingOwn: OwnEndpoints = { endpoints: {}, handlers: () => ({}) }

/** The resources of a family that has actions. */
export interface ActedOn {
  /** The path parameter that names a resource; `id` by default. */
  readonly param?: ResourceParam
  /** Finds a resource of the Project by id or name. Errors: `not_found`. */
  find(platform: Platform, scope: ProjectScope, key: number | string): Promise<{ readonly id: number }>
}

interface FamilyParts<T extends Endpoints> {
  readonly spelling: Spelling
  /** The root of the API below which its path is; that of the public API by default. */
  readonly base?: string
  /** Further roots below which the same paths answer; none by default. */
  readonly otherBases?: readonly string[]
  readonly endpoints: T
  /** Drivers are there for reading what only the infrastructure knows; changes go through actions. */
  routes(platform: Platform, drivers: Drivers): Handlers<T>
  readonly jobs?: readonly Job[]
  /** None by default. */
  readonly entries?: Family['entries']
  /** The deprecations of its entries by default. */
  readonly events?: Events
  readonly serviceEvents?: Events
  readonly limited?: readonly LimitedKind[]
  readonly locks?: Locks
  readonly sealed?: readonly SealedColumn[]
  readonly defaults?: Family['defaults']
  /** Dated changes that are about the family. */
  readonly changes?: Readonly<Record<string, Change>>
  /** Nothing of it costs anything by default. */
  readonly costs?: Costs
  readonly rates?: Rates<never>
  readonly states?: States
  /** None by default. */
  readonly gauges?: Family['gauges']
  readonly checkup?: Checkup
  readonly withdraw?: Family['withdraw']
  readonly seed?: Seed
  /** None by default. */
  readonly own?: OwnEndpoints
  /** What capabilities tell of it, below its path; nothing by default. */
  readonly facilities?: Facilities
  /** Desired states of its resources that the infrastructure must follow. */
  readonly desired?: readonly Desired[]
  /** Present when resources of the family have actions. */
  readonly resources?: ActedOn
  readonly actions?: readonly ActionDefinition[]
  readonly durations?: DurationTable
}

/** The resources of a family whose paths name them by id. */
export function byId<T extends ResourceTable, P extends string, Item extends ResourceItem>({
  get,
}: Resource<T, P, Item>): ActedOn {
  return { find: async ({ db }, scope, id) => get(db.query, scope, id as number) }
}

const nothing: Events = async () => []

/** Defines a family and adds the endpoints of its actions. */
export function defineFamily<const T extends Endpoints>(parts: FamilyParts<T>): Family {
  const { spelling, endpoints, routes, resources, desired = [] } = parts
  const { type, path: name, title, titles } = spelling
  const { entries = () => [] } = parts
  // Static paths come before those of single resources, which is the order of the reference.
  const all: Endpoints = { ...endpoints, ...(resources && familyActionEndpoints(name, resources.param)) }
  const named = (some: Endpoints): Endpoints =>
    Object.fromEntries(Object.entries(some).map(([key, endpoint]) => [key, { family: name, title, ...endpoint }]))
  const { own = nothingOwn } = parts
  const reconciling = desired.map(({ title, reconcile }): Job => {
    return { name: `reconcile ${title}`, due: 'whenever', run: reconcile }
  })
  return {
    name,
    spelling: { type, path: name, title, titles },
    base: parts.base ?? publicBase,
    otherBases: parts.otherBases ?? [],
    endpoints: named(all),
    own: { ...own, endpoints: named(own.endpoints) },
    facilities: parts.facilities,
    actions: parts.actions ?? [],
    durations: parts.durations ?? {},
    jobs: [...(parts.jobs ?? []), ...reconciling],
    entries,
    events: parts.events ?? (async ({ catalogue }, ...asked) => deprecationsIn(type, entries(catalogue), ...asked)),
    serviceEvents: parts.serviceEvents ?? nothing,
    desired,
    limited: parts.limited ?? [],
    locks: parts.locks ?? { order: [] },
    sealed: parts.sealed ?? [],
    defaults: parts.defaults ?? (() => ({})),
    changes: Object.values(parts.changes ?? {}),
    costs: parts.costs ?? (async () => []),
    rates: parts.rates ?? (() => []),
    states: parts.states ?? {},
    gauges: parts.gauges ?? [],
    checkup: parts.checkup,
    withdraw: parts.withdraw ?? (async () => undefined),
    seed: parts.seed,
    handlers: (platform, drivers) =>
      ({
        ...routes(platform, drivers),
        ...(resources && familyActionRoutes(platform, type, (scope, key) => resources.find(platform, scope, key))),
      }) as unknown as Handlers<Endpoints>,
  }
}

/** The settings of an installation: the given ones, completed by the defaults of every family. */
export function settingsOf(families: readonly Family[], domain: string, given: GivenSettings): Settings {
  const defaults = families.flatMap((family) => Object.entries(family.defaults(domain)))
  const merged = defaults.map(([name, settings]) => [name, { ...settings, ...given[name as keyof Settings] }])
  return Object.fromEntries(merged)
}
