import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Floating IPs',
  type: 'Floating IP',
  commands: {
    create_floating_ip: 'Floating IP erstellen',
    assign_floating_ip: 'Floating IP zuweisen',
    unassign_floating_ip: 'Floating IP lösen',
  },
}
