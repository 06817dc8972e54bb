import type { Names } from '../../words/slice.ts'

export const names = {
  family: 'Load Balancer types',
} satisfies Names
