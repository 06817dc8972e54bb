/** Finds out what requests and actions are about, in the words of the API. */
import { families } from '../../families.ts'
import { projectName } from '../../kernel/access/projects.ts'
import type { Drivers } from '../../kernel/actions/define.ts'
import type { ApiCall, Endpoint } from '../../kernel/contract/contract.ts'
import { parseQuery } from '../../kernel/contract/input.ts'
import type { Labels } from '../../kernel/contract/labels.ts'
import type { TenantTable } from '../../kernel/data/scoped.ts'
import { ApiError } from '../../kernel/errors.ts'
import { projectOf } from '../../kernel/resource/known.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import type { Subject } from './matching.ts'

type Call = ApiCall<Endpoint>
type Read = (call: Call) => Promise<unknown>

/** A name, an id or the whole of something that a body or a reply refers to. */
type Referred = string | number | { readonly name?: string } | null | undefined

/** The fields of bodies and replies that say what a resource is like. */
interface Described {
  readonly id?: number
  readonly name?: string | null
  readonly labels?: Labels
  readonly location?: Referred
  readonly home_location?: Referred
  readonly datacenter?: Referred
  readonly server_type?: Referred
  readonly load_balancer_type?: Referred
}

export class Facts {
  readonly #platform: Platform
  readonly #drivers: Drivers
  #readers: ReadonlyMap<string, Read> | undefined

  constructor(platform: Platform, drivers: Drivers) {
    this.#platform = platform
    this.#drivers = drivers
  }

  async projectName(projectId: ProjectId | undefined): Promise<string | undefined> {
    return projectId === undefined ? undefined : projectName(this.#platform.db.query, { projectId })
  }

  /** Finds what a request is about: what it makes and what its path names. */
  async ofRequest({ of }: Endpoint, call: Call): Promise<readonly Subject[]> {
    const asked = call.body === undefined ? [] : [this.#subjectIn(call.body)]
    const present = of === undefined ? undefined : await this.#read(of, call)
    // A change that gives another name is still about what has the present one.
    return present ? [present, { ...present, ...withoutNothing(asked[0] ?? {}) }] : asked
  }

  /** The Project of a resource of a type, whose name is that of its table; undefined when it is not there any more. */
  projectOf(type: TenantTable, id: number): Promise<ProjectId | undefined> {
    return projectOf(this.#platform.db.query, type, id)
  }

  /** A resource as it is now; undefined when it is not there any more. */
  ofResource(projectId: ProjectId, { type, id }: { readonly type: string; readonly id: number }) {
    const family = families.find(({ spelling }) => spelling.type === type)
    const of = family && Object.values(family.endpoints).find(({ of: path }) => path === `/${family.name}/{id}`)?.of
    const params = { id }
    return of === undefined ? undefined : this.#read(of, systemCall(projectId, params))
  }

  async #read(of: string, call: Call): Promise<Subject | undefined> {
    this.#readers ??= readersOf(this.#platform, this.#drivers)
    try {
      const reply = await this.#readers.get(of)?.(call)
      return reply === undefined ? undefined : this.#subjectIn(Object.values(reply as Record<string, Described>)[0]!)
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return undefined
      throw error
    }
  }

  #subjectIn(described: Described): Subject {
    const { catalogue } = this.#platform
    const { id, name, labels, location, home_location: home, datacenter, server_type: server } = described
    return {
      id,
      name: name ?? undefined,
      labels,
      location: nameOf(location ?? home ?? (datacenter as { location?: Referred } | undefined)?.location, (id) =>
        catalogue.locationById(id),
      ),
      serverType:
        nameOf(server, (id) => catalogue.serverTypeById(id)) ??
        nameOf(described.load_balancer_type, (id) => catalogue.loadBalancerTypeById(id)),
    }
  }
}

function nameOf(referred: Referred, byId: (id: number) => { readonly name: string } | undefined): string | undefined {
  if (referred === undefined) return undefined
  if (typeof referred === 'object') return referred?.name
  const id = Number(referred)
  return Number.isInteger(id) ? byId(id)?.name : String(referred)
}

function withoutNothing(subject: Subject): Subject {
  return Object.fromEntries(Object.entries(subject).filter(([, value]) => value !== undefined))
}

/** The handlers that read what others are about, by the path of that. */
function readersOf(platform: Platform, drivers: Drivers): ReadonlyMap<string, Read> {
  return new Map(
    families.flatMap(({ endpoints, handlers }) => {
      const own = handlers(platform, drivers)
      return Object.entries(endpoints).flatMap(([key, { method, path, of, query = {} }]) => {
        if (method !== 'GET' || path !== of) return []
        const read: Read = async (call) =>
          own[key]!({ ...call, query: parseQuery(query, '', 0), body: undefined } as never)
        return [[of, read] as const]
      })
    }),
  )
}

/** A call on behalf of a Project, by nobody. */
function systemCall(projectId: ProjectId, params: Readonly<Record<string, number>>): Call {
  return {
    scope: { projectId },
    isReadOnly: true,
    params,
    query: {},
    body: undefined,
    origin: () => '',
  } as unknown as Call
}
