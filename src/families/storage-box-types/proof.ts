import { neverExisted, type Proof } from '../../../test/proof.ts'

export const proof: Proof = {
  samples: { isShared: true, prepare: async () => ({ id: neverExisted }) },
}
