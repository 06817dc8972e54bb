/** Load Balancers: what they are made of. Pure (spec: Load Balancer). */
import type { Labels } from '../../kernel/contract/labels.ts'
import { addressAt } from '../../protocols/net/ip.ts'
import type { ReverseName } from '../addresses/reverse-names.ts'
import type { Service } from './services/domain.ts'

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
