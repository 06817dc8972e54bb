/** What a family may use, and what makes a family. The list of families is in families.ts. */
import type { Catalogue } from './catalogue/catalogue.ts'
import type { ZoneSettings } from './families/zones/settings.ts'
import { familyActionEndpoints, type ResourceParam } from './kernel/actions/contract.ts'
import type { ActionDefinition, Drivers } from './kernel/actions/define.ts'
import { familyActionRoutes } from './kernel/actions/routes.ts'
import type { Endpoints, Handlers } from './kernel/contract/contract.ts'
import type { Database } from './kernel/data/db.ts'
import type { Clock } from './kernel/process/clock.ts'
import type { Faults } from './kernel/process/faults.ts'
import type { DefaultLimits, LimitedKind } from './kernel/resource/limits.ts'
import type { ProjectScope } from './kernel/scope.ts'
import type { Secrets } from './kernel/secrets/secrets.ts'

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
  readonly zones: ZoneSettings
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
  /** One handler for each endpoint. */
  handlers(platform: Platform): Handlers<Endpoints>
}

interface FamilyParts<T extends Endpoints> {
  readonly name: string
  readonly endpoints: T
  routes(platform: Platform): Handlers<T>
  readonly chores?: readonly Chore[]
  readonly limited?: readonly LimitedKind[]
  /** Present when resources of the family have actions. */
  readonly resources?: {
    /** The type under which actions name them. */
    readonly type: string
    readonly actions: readonly ActionDefinition[]
    /** How paths name a resource; by its id unless this says otherwise. */
    readonly param?: ResourceParam
    /** Throws `not_found` unless the Project has the resource. */
    exists(platform: Platform, scope: ProjectScope, key: never): Promise<{ readonly id: number }>
  }
}

/** Puts a family together; the endpoints of its actions come by themselves. */
export function defineFamily<const T extends Endpoints>(parts: FamilyParts<T>): Family {
  const { name, endpoints, routes, chores = [], limited = [], resources } = parts
  if (!resources)
    return {
      name,
      endpoints,
      actions: [],
      chores,
      limited,
      handlers: (platform) => routes(platform) as Handlers<Endpoints>,
    }
  return {
    name,
    // Their static paths come first in the reference, before those of single resources.
    endpoints: { ...endpoints, ...familyActionEndpoints(name, resources.param) },
    actions: resources.actions,
    chores,
    limited,
    handlers: (platform) =>
      ({
        ...routes(platform),
        ...familyActionRoutes(platform, resources.type, (scope, key) =>
          resources.exists(platform, scope, key as never),
        ),
      }) as unknown as Handlers<Endpoints>,
  }
}
