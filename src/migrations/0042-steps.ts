/** The orders in which what a firewall is applied to, and the targets of a Load Balancer, are read in steps. */
import type { Migration } from '../kernel/data/migrate.ts'

export const steps: Migration = {
  id: '0042-steps',
  statements: [
    'create index firewall_application_by_firewall on firewall_application (firewall_id, id)',
    'create index load_balancer_target_by_balancer on load_balancer_target (load_balancer_id, id)',
  ],
}
