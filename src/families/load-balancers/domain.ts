/** Load Balancers: what they are made of. Pure (spec: Load Balancer). */
import type { Catalogue, LoadBalancerType } from '../../catalogue/catalogue.ts'
import type { Labels } from '../../kernel/contract/labels.ts'
import { limitExceeded } from '../../kernel/errors.ts'
import { addressAt } from '../../protocols/net/ip.ts'
import type { ReverseName } from '../addresses/domain.ts'
import { certificatesOf, type Service } from './services/domain.ts'

export const algorithms = ['round_robin', 'least_connections'] as const

/** What an action changes, and takes back when it fails. */
export interface Shape {
  readonly services: readonly Service[]
  readonly algorithm: (typeof algorithms)[number]
  readonly typeId: number
  /** Of its type. */
  readonly maxConnections: number
  /** Whether it listens on its public addresses. */
  readonly isPublic: boolean
}

export interface LoadBalancer extends Shape {
  readonly id: number
  readonly name: string
  readonly locationId: number
  /** What it goes back to if the change that is under way fails. */
  readonly former: Shape | null
  readonly ipv4: string
  /** A /64 network, of which it has the first address. */
  readonly ipv6: string
  /** The Primary IPs that have its addresses; null for addresses of its own. */
  readonly primaryIps: { readonly ipv4: number | null; readonly ipv6: number | null }
  /** Of its own addresses. */
  readonly reverseNames: readonly ReverseName[]
  /** Sealed. */
  readonly cookieSecret: string
  readonly labels: Labels
  readonly isProtected: boolean
  readonly created: string
  readonly version: number
}

/** The address of a Load Balancer in its IPv6 network. */
export const addressIn = (network: string): string => addressAt(network, 1n)

/** The public addresses of a Load Balancer. */
export type Addresses = Pick<LoadBalancer, 'ipv4' | 'ipv6' | 'primaryIps' | 'reverseNames'>

// ---- Room on a type ------------------------------------------------------------------------------------------------

/** The type of a Load Balancer. */
export function typeOf({ loadBalancerTypeById }: Catalogue, typeId: number): LoadBalancerType {
  const type = loadBalancerTypeById(typeId)
  if (!type) throw new Error(`the catalogue lacks the type of Load Balancers ${typeId}`)
  return type
}

/** A Load Balancer is filled with services and targets. */
export interface Contents {
  readonly services: readonly Service[]
  /** How many. */
  readonly targets: number
}

/** The kind of contents of which there are more than a type allows, and how many it does; undefined when all of them fit. */
export function surplusOf(type: LoadBalancerType, { services, targets }: Contents) {
  const kinds = [
    { what: 'services', used: services.length, most: type.max_services },
    { what: 'targets', used: targets, most: type.max_targets },
    { what: 'certificates', used: certificatesOf(services).length, most: type.max_assigned_certificates },
  ] as const
  return kinds.find(({ used, most }) => used > most)
}

/** Errors: `resource_limit_exceeded` for more than the type of a Load Balancer allows. */
export function checkRoom(type: LoadBalancerType, contents: Contents): void {
  const surplus = surplusOf(type, contents)
  if (!surplus) return
  const { what, most } = surplus
  throw limitExceeded(`load_balancer_${what}`, `a load balancer cannot have more than ${most} ${what}`)
}
