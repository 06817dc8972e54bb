import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'Floating IPs',
  type: 'Floating IP',
  commands: {
    create_floating_ip: 'Create Floating IP',
    assign_floating_ip: 'Assign Floating IP',
    unassign_floating_ip: 'Unassign Floating IP',
  },
} satisfies Names
