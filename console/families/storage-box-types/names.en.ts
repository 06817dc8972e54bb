import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'Storage Box types',
} satisfies Names
