/** Lists of Primary IPs. */
import type { Migration } from '../kernel/data/migrate.ts'

/** The sort orders of the list of Primary IPs. */
export const primaryIps: Migration = {
  id: '0023-primary-ips',
  statements: [
    `create index primary_ip_by_id on primary_ip (project_id, id)`,
    `create index primary_ip_by_created on primary_ip (project_id, created, id)`,
  ],
}
