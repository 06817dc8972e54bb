import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'Primary IPs',
  type: 'Primary IP',
  commands: {
    assign_primary_ip: 'Assign Primary IP',
    unassign_primary_ip: 'Unassign Primary IP',
  },
} satisfies Names
