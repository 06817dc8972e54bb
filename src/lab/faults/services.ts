/** Injects faults into what works beside the API: the name server, the metadata service, and the checks of targets. */
import type { Drivers } from '../../kernel/actions/define.ts'
import { latencyMs } from './chance.ts'
import type { Effect } from './contract.ts'
import type { Occasion, Subject } from './matching.ts'
import type { Patience } from './patience.ts'
import type { Active } from './rule.ts'
import type { Rules } from './rules.ts'

/** The faults of rules that are about services, by the key of the fault. */
export const services = ['name_server', 'metadata', 'targets'] as const
export type Service = (typeof services)[number]

export interface ServiceFaults {
  /** Decides what becomes of a question to the name server; undefined for the usual. */
  disturbDns(name: string): Promise<'answer' | 'fail' | 'ignore'> | undefined
  /** Resolves when the metadata service may answer a server; undefined for at once. */
  delayMetadata(serverId: number): Promise<void> | undefined
  /** The drivers, of which those of Load Balancers find targets unhealthy where a rule wants them to. */
  disturbed(drivers: Drivers): Drivers
}

interface ServiceParts {
  readonly rules: Rules
  readonly patience: Patience
}

export function serviceFaultsOf(parts: ServiceParts): ServiceFaults {
  const isAffected = (service: Service) => parts.rules.list().some(({ rule }) => rule.effect[service] !== undefined)
  return {
    disturbDns: (name) => (isAffected('name_server') ? disturbDns(parts, name) : undefined),
    delayMetadata: (id) => (isAffected('metadata') ? delayMetadata(parts, id) : undefined),
    disturbed: (drivers) => ({ ...drivers, loadBalancers: watched(drivers.loadBalancers, parts) }),
  }
}

async function disturbDns(parts: ServiceParts, name: string): Promise<'answer' | 'fail' | 'ignore'> {
  for await (const active of hitting(parts, 'name_server', { name })) {
    const { latency, answer } = active.rule.effect.name_server!
    await late(parts, active, latency)
    if (answer !== undefined) return answer === 'servfail' ? 'fail' : 'ignore'
  }
  return 'answer'
}

async function delayMetadata(parts: ServiceParts, id: number): Promise<void> {
  for await (const active of hitting(parts, 'metadata', { id }))
    await late(parts, active, active.rule.effect.metadata!.latency)
}

function watched(driver: Drivers['loadBalancers'], parts: ServiceParts): Drivers['loadBalancers'] {
  const observe: typeof driver.observe = async (ids) => {
    const seen = new Map(await driver.observe(ids))
    for (const [id, observation] of seen) {
      for await (const _ of hitting(parts, 'targets', { id })) {
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

function hitting({ rules }: ServiceParts, service: Service, subject: Subject): AsyncGenerator<Active, void, void> {
  const hit = { operation: service, projectId: undefined }
  return rules.hitting(occasionOf(subject), hit, ({ effect }) => effect[service] !== undefined)
}

function occasionOf(subject: Subject): Occasion {
  return {
    projectId: undefined,
    types: [],
    ids: subject.id === undefined ? [] : [subject.id],
    projectName: async () => undefined,
    subjects: async () => [subject],
  }
}

async function late({ patience }: ServiceParts, { rule, counts }: Active, latency: Effect['latency']): Promise<void> {
  if (latency) await patience.wait(latencyMs(latency, rule.seed, counts.hits))
}
