/** Dated changes of the API that are about firewalls. */
import { defineChanges } from '../../kernel/contract/changes.ts'

export const firewallChanges = defineChanges({
  related_ports_closed: {
    from: '2023-11-01',
    section: 'Firewalls',
    summary: 'Related ports of FTP, SIP and PPTP are no longer opened by themselves',
    standing: 'packet filters here open what rules say and nothing else',
  },
  firewall_not_found_code: {
    from: '2025-07-01',
    section: 'Errors',
    summary: 'Resources that a firewall operation names and that do not exist give firewall_resource_not_found',
  },
  cidr_host_bits_refused: {
    from: '2025-12-10',
    section: 'Firewall',
    summary: 'CIDRs of firewall rules with host bits set are refused',
  },
})
