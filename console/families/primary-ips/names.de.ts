import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Primary IPs',
  type: 'Primary IP',
  commands: {
    assign_primary_ip: 'Primary IP zuweisen',
    unassign_primary_ip: 'Primary IP lösen',
  },
}
