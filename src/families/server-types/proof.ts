import { firstOf, type Proof } from '../../../test/kit/proof.ts'

export const proof: Proof = {
  samples: { isShared: true, prepare: (world) => firstOf(world, 'server_types') },
}
