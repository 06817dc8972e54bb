/** What a family may use, and what makes a family. The list of families is in families.ts. */
import type { Catalogue } from './catalogue/catalogue.ts'
import { familyActionEndpoints, type ResourceParam } from './kernel/actions/contract.ts'
import type { ActionDefinition, Drivers } from './kernel/actions/define.ts'
import { familyActionRoutes } from './kernel/actions/routes.ts'
import type { Endpoints, Handlers } from './kernel/contract/contract.ts'
import type { Database } from './kernel/data/db.ts'
import type { Locks } from './kernel/data/locks.ts'
import type { Clock } from './kernel/process/clock.ts'
import type { Faults } from './kernel/process/faults.ts'
import type { Desired } from './kernel/resource/desired.ts'
import type { DefaultLimits, LimitedKind } from './kernel/resource/limits.ts'
import type { Resource, ResourceItem, ResourceTable } from './kernel/resource/resource.ts'
import type { ProjectScope } from './kernel/scope.ts'
import type { Secrets } from './kernel/secrets/secrets.ts'

/** What an operator settles, by family. Each family that has settings adds them by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Settings {}

/** The settings that an operator gives; the families' defaults fill the rest. */
export type GivenSettings = { readonly [Name in keyof Settings]?: Partial<Settings[Name]> }

export interface Platform {
  readonly db: Database
  readonly clock: Clock
  readonly catalogue: Catalogue
  /** Domain under which default reverse names of addresses lie. */
  readonly reverseDomain: string
  readonly faults: Faults
  /** Limits of Projects that have none of their own. */
  readonly limits: DefaultLimits
  readonly secrets: Secrets
  readonly settings: Settings
}

/** What a family does by the clock, in every process; rivals that do the same must not matter to it. */
export type Chore = (platform: Platform, drivers: Drivers) => Promise<void>

/** A slice of the API: what it promises and how it keeps it. */
export interface Family {
  /** Its path, such as `firewalls`. */
  readonly name: string
  /** Every endpoint, those of its actions among them. */
  readonly endpoints: Endpoints
  readonly actions: readonly ActionDefinition[]
  readonly chores: readonly Chore[]
  /** Kinds of its resources of which a Project may have only so many. */
  readonly limited: readonly LimitedKind[]
  /** In which order its transactions take locks. */
  readonly locks: Locks
  /** The family's settings where the operator gives none. `domain` is that of the installation. */
  defaults(domain: string): Partial<Settings>
  /** One handler for each endpoint. */
  handlers(platform: Platform): Handlers<Endpoints>
}

/** What resources of a family are, as far as their actions go. */
export interface ActedOn {
  /** The type under which actions name them. */
  readonly type: string
  /** How paths name a resource; by its id unless this says otherwise. */
  readonly param?: ResourceParam
  /** Finds what the Project has under an id or a name. Errors: `not_found`. */
  find(platform: Platform, scope: ProjectScope, key: number | string): Promise<{ readonly id: number }>
}

interface FamilyParts<T extends Endpoints> {
  /** Its path. */
  readonly name: string
  readonly endpoints: T
  routes(platform: Platform): Handlers<T>
  readonly chores?: readonly Chore[]
  readonly limited?: readonly LimitedKind[]
  readonly locks?: Locks
  readonly defaults?: Family['defaults']
  /** What the infrastructure is to do for its resources. */
  readonly desired?: readonly Desired[]
  /** Present when resources of the family have actions. */
  readonly resources?: ActedOn
  readonly actions?: readonly ActionDefinition[]
}

/** The resources of a family whose paths name them by id. */
export function byId<T extends ResourceTable, P extends string, Item extends ResourceItem>({
  type,
  get,
}: Resource<T, P, Item>): ActedOn {
  return { type, find: ({ db }, scope, id) => get(db.query, scope, id as number) }
}

/** Puts a family together; the endpoints of its actions come by themselves. */
export function defineFamily<const T extends Endpoints>(parts: FamilyParts<T>): Family {
  const {
    name,
    endpoints,
    routes,
    limited = [],
    locks = { order: [] },
    defaults = () => ({}),
    desired = [],
    resources,
    actions = [],
  } = parts
  const chores = [
    ...(parts.chores ?? []),
    ...desired.map(
      ({ reconcile }): Chore =>
        ({ db }, drivers) =>
          reconcile(db, drivers),
    ),
  ]
  if (!resources) {
    return {
      name,
      endpoints,
      actions,
      chores,
      limited,
      locks,
      defaults,
      handlers: (platform) => routes(platform) as Handlers<Endpoints>,
    }
  }
  const { type, param, find } = resources
  return {
    name,
    // Their static paths come first in the reference, before those of single resources.
    endpoints: { ...endpoints, ...familyActionEndpoints(name, param) },
    actions,
    chores,
    limited,
    locks,
    defaults,
    handlers: (platform) =>
      ({
        ...routes(platform),
        ...familyActionRoutes(platform, type, (scope, key) => find(platform, scope, key)),
      }) as unknown as Handlers<Endpoints>,
  }
}

/** The settings of an installation: what is given, and the defaults of every family for the rest. */
export function settingsOf(families: readonly Family[], domain: string, given: GivenSettings): Settings {
  const defaults = families.flatMap((family) => Object.entries(family.defaults(domain)))
  const merged = defaults.map(([name, settings]) => [name, { ...settings, ...given[name as keyof Settings] }])
  return Object.fromEntries(merged)
}
