import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Typen von Load Balancern',
}
