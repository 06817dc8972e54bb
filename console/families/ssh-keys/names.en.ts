import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'SSH keys',
  type: 'SSH key',
} satisfies Names
