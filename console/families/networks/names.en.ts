import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'networks',
  type: 'network',
  commands: {
    change_alias_ips: 'Change alias IPs',
    add_subnet: 'Add subnet',
    delete_subnet: 'Delete subnet',
    add_route: 'Add route',
    delete_route: 'Delete route',
    change_ip_range: 'Change IP range',
  },
} satisfies Names
