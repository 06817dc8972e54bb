import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'placement groups',
  type: 'placement group',
} satisfies Names
