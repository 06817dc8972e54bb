/** Tables of the servers in private networks. */
import type { Migration } from '../kernel/data/migrate.ts'

/** The addresses of servers in networks, and what is desired of the private interfaces of each server. */
export const networkAttachments: Migration = {
  id: '0021-network-attachments',
  statements: [
    `create table network_attachment (
      id integer primary key,
      project_id integer not null,
      network_id integer not null,
      server_id integer not null,
      ip text not null,
      alias_ips text not null,
      former_alias_ips text,
      status text not null,
      unique (network_id, ip),
      unique (network_id, server_id)
    )`,
    `create index network_attachment_by_server on network_attachment (server_id)`,
    `create table network_interfaces (
      id integer primary key,
      project_id integer not null,
      generation integer not null,
      generation_in_force integer not null
    )`,
    `create index network_interfaces_pending on network_interfaces (id) where generation_in_force < generation`,
  ],
}
