import type { Retries } from '../../api/operations.ts'

export const retries: Retries<'volumes'> = { detach_volume: 'detach' }
