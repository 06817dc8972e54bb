/** OVN's northbound database, as far as rows of it are read and written here: its tables with their columns. */
import type { Change } from '../../../protocols/ovsdb/change.ts'
import type { Database } from '../../../protocols/ovsdb/database.ts'
import { type MapOf, operationsOn, type RowOf, type SetOf, type Uuid } from '../../../protocols/ovsdb/rows.ts'

export interface Tables {
  readonly ACL: {
    readonly direction: string
    readonly priority: number
    readonly match: string
    readonly action: string
    readonly options: MapOf
    readonly external_ids: MapOf
  }
  readonly Address_Set: { readonly name: string; readonly addresses: SetOf<string> }
  readonly DHCP_Options: { readonly external_ids: MapOf }
  readonly DNS: { readonly external_ids: MapOf }
  readonly HA_Chassis_Group: { readonly name: string }
  readonly Load_Balancer: {
    readonly name: string
    readonly protocol: SetOf<string>
    readonly vips: MapOf
    readonly external_ids: MapOf
  }
  readonly Logical_Router: { readonly name: string; readonly static_routes: SetOf<Uuid> }
  readonly Logical_Router_Port: { readonly name: string; readonly mac: string; readonly networks: SetOf<string> }
  readonly Logical_Router_Static_Route: {
    readonly ip_prefix: string
    readonly nexthop: string
    readonly output_port: SetOf<string>
    readonly policy: SetOf<string>
    readonly route_table: string
    readonly external_ids: MapOf
  }
  readonly Logical_Switch: {
    readonly name: string
    readonly ports: SetOf<Uuid>
    readonly load_balancer: SetOf<Uuid>
  }
  readonly Logical_Switch_Port: {
    readonly name: string
    readonly type: string
    readonly options: MapOf
    readonly port_security: SetOf<string>
  }
  readonly NB_Global: { readonly nb_cfg: number; readonly hv_cfg: number }
  readonly Port_Group: {
    readonly name: string
    readonly external_ids: MapOf
    readonly acls: SetOf<Uuid>
    readonly ports: SetOf<Uuid>
  }
}

export type Northbound = Database<Tables>
export type NorthboundChange = Change<Tables>
export type NorthboundRow<Table extends keyof Tables> = RowOf<Tables, Table>

export const { select, update, mutate } = operationsOn<Tables>()
