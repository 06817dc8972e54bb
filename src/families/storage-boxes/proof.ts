import type { Proof } from '../../../test/kit/proof.ts'
import { bodies as own } from './files/proof.ts'
import { actions } from './proof/actions.ts'
import { consistency } from './proof/consistency.ts'
import { crash } from './proof/crash.ts'
import { errors } from './proof/errors.ts'
import { samples } from './proof/samples.ts'
import { spec } from './proof/spec.ts'
import { traffic } from './proof/traffic.ts'
import { queries as ownQueries } from './usage/proof.ts'

export { boxBody, boxOf, makeBox, makeSnapshot, makeSubaccount, password, subaccountBody } from './proof/samples.ts'

const measured = ['storage_box_usage']

export const proof: Proof = { samples, errors, actions, consistency, traffic, crash, own, ownQueries, measured, spec }
