import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'prices',
} satisfies Names
