/** Floating IPs: public addresses that move between servers. Pure. */
import type { Labels } from '../../kernel/contract/labels.ts'
import type { NamedAddress } from '../addresses/domain.ts'

export interface FloatingIp extends NamedAddress {
  readonly id: number
  readonly name: string
  readonly description: string | null
  readonly homeLocationId: number
  readonly serverId: number | null
  readonly labels: Labels
  readonly isProtected: boolean
  readonly created: string
  readonly version: number
}
