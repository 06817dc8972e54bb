import type { names as English } from './names.en.ts'

export const names: typeof English = {
  family: 'SSH-Schlüssel',
  type: 'SSH-Schlüssel',
}
