import type { Proof } from '../../../test/proof.ts'
import { checkHolders } from '../addresses/proof.ts'

export const proof: Proof = {
  consistency: {
    resources: 'primary_ip',
    belongs: [['primary_ip', 'server_id', 'server']],
    rows: (found) => checkHolders(found, 'primary_ip'),
  },
}
