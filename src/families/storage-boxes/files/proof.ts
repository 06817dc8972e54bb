/** A request for each endpoint about files that has a body. */
import type { fileEndpoints } from './contract.ts'

/** Bodies by endpoint. */
export const bodies = {
  createFolder: () => ({ path: 'folder' }),
  renameFile: () => ({ from: 'folder', to: 'other' }),
} satisfies Partial<Record<keyof typeof fileEndpoints, () => unknown>>
