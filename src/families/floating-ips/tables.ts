/** Rows of Floating IPs. */
import type { ProjectId } from '../../kernel/scope.ts'

export interface FloatingIpRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly description: string | null
  readonly type: 'ipv4' | 'ipv6'
  readonly ip: string
  readonly home_location: number
  readonly server_id: number | null
  readonly dns_ptr: string
  readonly labels: string
  readonly protect_delete: 0 | 1
  readonly created: string
  readonly version: number
}

/** The generation of a server's set of Floating IPs: which one is wanted, and which one the driver confirmed. */
export interface FloatingIpRoutingRow {
  readonly server_id: number
  readonly project_id: ProjectId
  readonly generation: number
  readonly generation_in_force: number
}

declare module '../../kernel/data/db.ts' {
  interface Tables {
    floating_ip: FloatingIpRow
    floating_ip_routing: FloatingIpRoutingRow
  }
}
