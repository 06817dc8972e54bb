import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'ISO images',
} satisfies Names
