import { firstOf, type Proof } from '../../../test/kit/proof.ts'
import type { serverTypeEndpoints } from './contract.ts'

export const proof: Proof<typeof serverTypeEndpoints> = {
  samples: { isShared: true, prepare: (world) => firstOf(world, 'server_types') },
}
