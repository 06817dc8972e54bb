import { neverExisted, type Proof } from '../../../test/kit/proof.ts'
import type { storageBoxEndpoints } from './contract.ts'

export const proof: Proof<typeof storageBoxEndpoints> = {
  // All Projects share the list while it is empty.
  samples: { isShared: true, prepare: async () => ({ id: neverExisted }) },
  spec: {
    sentences: [
      {
        section: 'Storage Boxes',
        says: 'Their list and that of their types are empty, with the parameters and the pages of every list',
        tests: ['storage-boxes.test.ts: their list and that of their types are empty, page by page'],
      },
      {
        section: 'Storage Boxes',
        says: 'What is below their lists is not_found with a message that says that there are none',
        tests: ['pages.test.ts: says so by its name, at every path but that of its list, which is empty'],
      },
    ],
  },
}
