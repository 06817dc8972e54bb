/** What volumes can be asked to do again after it failed. */
import type { Retries } from '../../api/operations.ts'

export const retries: Retries<'volumes'> = { detach_volume: 'detach' }
