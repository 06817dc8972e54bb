import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'Storage Boxes',
} satisfies Names
