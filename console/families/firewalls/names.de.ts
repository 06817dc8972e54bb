import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Firewalls',
  type: 'Firewall',
  commands: {
    set_firewall_rules: 'Firewall-Regeln setzen',
    apply_firewall: 'Firewall anwenden',
    remove_firewall: 'Firewall entfernen',
  },
}
