import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Placement Groups',
  type: 'Placement Group',
}
