/** Private addresses are looked up without their network. */
import type { Migration } from '../kernel/data/migrate.ts'

export const privateAddresses: Migration = {
  id: '0026-private-addresses',
  statements: [
    `create index network_attachment_by_ip on network_attachment (ip)`,
    `create index network_attachment_aliases on network_attachment (project_id, network_id) where alias_ips <> '[]'`,
  ],
}
