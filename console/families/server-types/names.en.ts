import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'server types',
} satisfies Names
