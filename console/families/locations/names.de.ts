import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'Standorte',
}
