/** Injects faults into what works beside the API: the name server, the metadata service, and the checks of targets. */
import type { ServerResponse } from 'node:http'
import type { Drivers, ResourceRef } from '../../kernel/actions/define.ts'
import type { TenantTable } from '../../kernel/data/scoped.ts'
import { latencyMs } from './chance.ts'
import type { Effect } from './contract.ts'
import type { Facts } from './facts.ts'
import { injectedHeader, shown } from './injected.ts'
import type { Occasion, Subject } from './matching.ts'
import type { Patience } from './patience.ts'
import type { Active } from './rule.ts'
import type { Rules } from './rules.ts'

/** The faults of rules that are about services, by the key of the fault. */
export const services = ['name_server', 'metadata', 'targets'] as const
export type Service = (typeof services)[number]

export interface ServiceFaults {
  /** Decides what becomes of a question to the name server; undefined for the usual. `nameOf` reads its name. */
  disturbDns(nameOf: () => string | undefined): Promise<'answer' | 'fail' | 'ignore'> | undefined
  /** Resolves when the metadata service may answer a server; undefined for at once. The answer tells of it. */
  delayMetadata(of: ResourceRef, response: ServerResponse): Promise<void> | undefined
  /** The drivers, of which those of Load Balancers find targets unhealthy where a rule wants them to. */
  disturbed(drivers: Drivers): Drivers
}

interface ServiceParts {
  readonly rules: Rules
  readonly facts: Facts
  readonly patience: Patience
}

export function serviceFaultsOf(parts: ServiceParts): ServiceFaults {
  const isAffected = (service: Service) => parts.rules.list().some(({ rule }) => rule.effect[service] !== undefined)
  return {
    disturbDns: (nameOf) => {
      const name = isAffected('name_server') ? nameOf() : undefined
      return name === undefined ? undefined : disturbDns(parts, name)
    },
    delayMetadata: (of, response) => (isAffected('metadata') ? delayMetadata(parts, of, response) : undefined),
    disturbed: (drivers) => ({
      ...drivers,
      loadBalancers: watched(drivers.loadBalancers, parts, () => isAffected('targets')),
    }),
  }
}

async function disturbDns(parts: ServiceParts, name: string): Promise<'answer' | 'fail' | 'ignore'> {
  for await (const active of hitting(parts, 'name_server', occasionOf([{ name }]), name)) {
    const { latency, answer } = active.rule.effect.name_server!
    await late(parts, active, latency)
    if (answer !== undefined) return answer === 'servfail' ? 'fail' : 'ignore'
  }
  return 'answer'
}

async function delayMetadata(parts: ServiceParts, of: ResourceRef, response: ServerResponse): Promise<void> {
  const names: string[] = []
  for await (const active of hitting(parts, 'metadata', await occasionAt(parts, of), String(of.id))) {
    names.push(active.rule.name)
    response.setHeader(injectedHeader, shown(names))
    await late(parts, active, active.rule.effect.metadata!.latency, response)
  }
}

function watched(
  driver: Drivers['loadBalancers'],
  parts: ServiceParts,
  isAffected: () => boolean,
): Drivers['loadBalancers'] {
  const observe: typeof driver.observe = async (ids) => {
    const observed = await driver.observe(ids)
    if (!isAffected()) return observed
    const seen = new Map(observed)
    for (const [id, observation] of seen) {
      const occasion = await occasionAt(parts, { type: 'load_balancer', id })
      for await (const _ of hitting(parts, 'targets', occasion, String(id))) {
        const health = observation.health.map((one) => ({ ...one, health: unhealthy }))
        seen.set(id, { ...observation, health })
      }
    }
    return seen
  }
  return new Proxy(driver, {
    get(target, name) {
      if (name === 'observe') return observe
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const unhealthy = { status: 'unhealthy', detail: 'unspecified', httpStatusCode: null } as const

function hitting({ rules }: ServiceParts, service: Service, occasion: Occasion, subject: string) {
  const hit = { operation: service, projectId: occasion.projectId, subject }
  return rules.hitting(occasion, hit, ({ effect }) => effect[service] !== undefined)
}

function occasionOf(subjects: readonly Subject[]): Occasion {
  const nothing = async () => undefined
  return { projectId: undefined, types: [], ids: [], projectName: nothing, subjects: async () => subjects }
}

/** What a service does for a resource, of which it knows nothing but the id. */
async function occasionAt({ facts }: ServiceParts, { type, id }: ResourceRef): Promise<Occasion> {
  const projectId = await facts.projectOf(type as TenantTable, id)
  return {
    projectId,
    types: [type],
    ids: [id],
    projectName: () => facts.projectName(projectId),
    async subjects() {
      const subject = projectId === undefined ? undefined : await facts.ofResource(projectId, { type, id })
      return subject ? [subject] : []
    },
  }
}

async function late(
  { patience }: ServiceParts,
  { rule, counts }: Active,
  latency: Effect['latency'],
  response?: ServerResponse,
): Promise<void> {
  if (latency) await patience.wait(latencyMs(latency, rule.seed, counts.hits), response)
}
