/** Dated changes of the API that are about networks. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const networkChanges = defineChanges({
  network_vswitch_routes: {
    from: '2023-06-01',
    section: 'Networks',
    summary: 'Networks have expose_routes_to_vswitch',
  },
  vswitch_subnet_smaller: {
    from: '2023-10-01',
    section: 'Networks',
    summary: 'A vswitch subnet is smaller than its network; the default route can be exposed to the vSwitch',
  },
  attach_ip_range: {
    from: '2025-09-01',
    section: 'Networks',
    summary: 'attach_to_network accepts ip_range',
  },
  network_members: {
    from: '2026-09-01',
    section: 'Networks',
    summary: 'Members of a network can be listed',
  },
  server_subnets_removed: {
    from: '2027-04-15',
    section: 'Networks',
    summary: 'Subnets of type server are gone; use cloud',
  },
})
