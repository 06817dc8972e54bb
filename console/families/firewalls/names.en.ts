import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'firewalls',
  type: 'firewall',
  commands: {
    set_firewall_rules: 'Set firewall rules',
    apply_firewall: 'Apply firewall',
    remove_firewall: 'Remove firewall',
  },
} satisfies Names
