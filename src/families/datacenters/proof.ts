import { firstOf, type Proof } from '../../../test/proof.ts'

export const proof: Proof = {
  samples: { isShared: true, prepare: (world) => firstOf(world, 'datacenters') },
}
