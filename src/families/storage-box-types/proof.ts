import { neverExisted, type Proof } from '../../../test/kit/proof.ts'

export const proof: Proof = {
  samples: { isShared: true, prepare: async () => ({ id: neverExisted }) },
}
