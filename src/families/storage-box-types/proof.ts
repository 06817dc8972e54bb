import { firstOf, type Proof } from '../../../test/kit/proof.ts'
import type { storageBoxTypeEndpoints } from './contract.ts'

export const proof: Proof<typeof storageBoxTypeEndpoints> = {
  samples: { isShared: true, prepare: (world) => firstOf(world, 'storage_box_types') },
  spec: {
    sentences: [
      {
        section: 'Storage Boxes',
        says: 'Types come from the catalogue; those whose deprecation has ended leave the list and can still be read',
        tests: [
          'storage-box-types.test.ts: the list has the four types in the order of their ids, each with all its fields',
          'storage-box-types.test.ts: a type leaves the list after the end of its deprecation',
          'storage-box-types.test.ts: an operator may have types of his own, in some locations, or none',
        ],
      },
    ],
  },
}
