import { neverExisted, type Proof } from '../../../test/kit/proof.ts'
import type { storageBoxTypeEndpoints } from './contract.ts'

export const proof: Proof<typeof storageBoxTypeEndpoints> = {
  samples: { isShared: true, prepare: async () => ({ id: neverExisted }) },
}
