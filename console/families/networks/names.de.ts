import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Netzwerke',
  type: 'Netzwerk',
  commands: {
    change_alias_ips: 'Alias-IPs ändern',
    add_subnet: 'Subnetz hinzufügen',
    delete_subnet: 'Subnetz löschen',
    add_route: 'Route hinzufügen',
    delete_route: 'Route löschen',
    change_ip_range: 'IP-Bereich ändern',
  },
}
