/** The view of Floating IPs and Primary IPs that their pages share. */
import type { ItemOf } from '../../api/api.ts'
import type { LabelMap } from '../../ui/labels-field.tsx'

export type FloatingIp = ItemOf<'floating_ips_list'>
type PrimaryIp = ItemOf<'primary_ips_list'>
export type AddressFamily = 'floating_ips' | 'primary_ips'

/** An address of either family. */
export interface Address {
  readonly family: AddressFamily
  readonly id: number
  readonly name: string
  readonly type: 'ipv4' | 'ipv6'
  readonly ip: string
  /** The server that it leads to. */
  readonly server: number | null
  /** The Load Balancer that has it, of Primary IPs. */
  readonly balancer: number | null
  readonly location: string
  readonly dnsPtr: readonly { readonly ip: string; readonly dns_ptr: string }[]
  readonly labels: LabelMap
  readonly protection: { readonly delete: boolean }
  readonly created: string
  readonly description: string | null
  /** True while deleting its server deletes it. */
  readonly autoDelete: boolean
}

export function fromFloating(one: FloatingIp): Address {
  const { id, name, type, ip, server, home_location, dns_ptr, labels, protection, created, description } = one
  return {
    ...{ family: 'floating_ips', id, name, type, ip, server, balancer: null, labels, protection, created, description },
    location: home_location.name,
    dnsPtr: dns_ptr,
    autoDelete: false,
  }
}

export function fromPrimary(one: PrimaryIp): Address {
  const { id, name, type, ip, assignee_id, assignee_type, dns_ptr, labels, protection, created, auto_delete } = one
  return {
    ...{ family: 'primary_ips', id, name, type, ip, labels, protection, created, description: null },
    server: assignee_type === 'server' ? assignee_id : null,
    balancer: assignee_type === 'load_balancer' ? assignee_id : null,
    location: one.location?.name ?? '',
    dnsPtr: dns_ptr,
    autoDelete: auto_delete,
  }
}

export type Asked =
  | { readonly kind: 'create' }
  | { readonly kind: 'assign' | 'unassign' | 'names'; readonly address: Address }
