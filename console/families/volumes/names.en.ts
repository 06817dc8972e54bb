import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'volumes',
  type: 'volume',
  commands: {
    create_volume: 'Create volume',
    delete_volume: 'Delete volume',
    attach_volume: 'Attach volume',
    detach_volume: 'Detach volume',
    resize_volume: 'Enlarge volume',
  },
} satisfies Names
