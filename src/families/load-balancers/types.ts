/** How much fits on a Load Balancer of a type. */
import { type LoadBalancerType, loadBalancerTypeIsListed } from '../../catalogue/catalogue.ts'
import { toIdOrName } from '../../kernel/contract/contract.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import type { Platform } from '../../platform.ts'
import { certificatesOf, type Service } from './services/domain.ts'

/** The type of a Load Balancer. */
export function typeOf({ catalogue }: Pick<Platform, 'catalogue'>, typeId: number): LoadBalancerType {
  const type = catalogue.loadBalancerTypeById(typeId)
  if (!type) throw new Error(`the catalogue lacks the type of Load Balancers ${typeId}`)
  return type
}

/** A type that can be ordered now, or is the present one. Errors: `invalid_input`. */
export function readType({ catalogue, clock }: Platform, asked: number | string, present?: number): LoadBalancerType {
  const key = toIdOrName(asked)
  const type = 'id' in key ? catalogue.loadBalancerTypeById(key.id) : catalogue.loadBalancerTypeByName(key.name)
  if (type && (type.id === present || loadBalancerTypeIsListed(type, clock.now()))) return type
  const message = type ? 'is no longer available' : 'Load Balancer type not found'
  throw invalidInput([{ field: 'load_balancer_type', message }])
}

/** What a Load Balancer has. */
export interface Contents {
  readonly services: readonly Service[]
  /** How many. */
  readonly targets: number
}

/** What of it is more than a type allows; undefined when all of it fits. */
export function tooMuchFor(type: LoadBalancerType, { services, targets }: Contents): string | undefined {
  const used = { services: services.length, targets, certificates: certificatesOf(services).length }
  const most = { services: type.maxServices, targets: type.maxTargets, certificates: type.maxAssignedCertificates }
  return (['services', 'targets', 'certificates'] as const).find((what) => used[what] > most[what])
}

/** Errors: `resource_limit_exceeded` for more than the type of a Load Balancer allows. */
export function checkRoom(type: LoadBalancerType, contents: Contents): void {
  const what = tooMuchFor(type, contents)
  if (!what) return
  const details = { limits: [{ name: `load_balancer_${what}` }] }
  throw new ApiError('resource_limit_exceeded', `a Load Balancer of the type ${type.name} cannot have more ${what}`, {
    details,
  })
}
