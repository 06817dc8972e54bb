import type { Proof } from '../../../test/kit/proof.ts'
import { actions } from './proof/actions.ts'
import { consistency } from './proof/consistency.ts'
import { crash } from './proof/crash.ts'
import { errors } from './proof/errors.ts'
import { samples } from './proof/samples.ts'
import { spec } from './proof/spec.ts'
import { traffic } from './proof/traffic.ts'

export const proof: Proof = {
  samples,
  references: {
    'floating_ips.create': { family: 'servers', body: (id) => ({ type: 'ipv4', server: id }) },
    'floating_ips.assign': { family: 'servers', body: (id) => ({ server: id }) },
  },
  errors,
  actions,
  consistency,
  traffic,
  crash,
  spec,
}
