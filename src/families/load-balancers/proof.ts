import type { Proof } from '../../../test/kit/proof.ts'
import { actions } from './proof/actions.ts'
import { consistency } from './proof/consistency.ts'
import { crash } from './proof/crash.ts'
import { errors } from './proof/errors.ts'
import { balancerBody, samples, toServer } from './proof/samples.ts'
import { spec } from './proof/spec.ts'
import { traffic } from './proof/traffic.ts'

export {
  balancerBody,
  balancerOf,
  command,
  makeBalancer,
  makeCertificate,
  tcp,
  toIp,
  toSelector,
  toServer,
} from './proof/samples.ts'

export const proof: Proof = {
  samples,
  references: {
    'load_balancers.create network': { family: 'networks', body: (id) => balancerBody({ network: id }) },
    'load_balancers.create public_net.ipv4': {
      family: 'primary_ips',
      body: (id) => balancerBody({ public_net: { ipv4: id } }),
    },
    'load_balancers.create targets': { family: 'servers', body: (id) => balancerBody({ targets: [toServer(id)] }) },
    'load_balancers.create services': {
      family: 'certificates',
      body: (id) => balancerBody({ services: [{ protocol: 'https', http: { certificates: [id] } }] }),
    },
    'load_balancers.addTarget': { family: 'servers', body: (id) => toServer(id) },
    'load_balancers.addService': {
      family: 'certificates',
      body: (id) => ({ protocol: 'https', http: { certificates: [id] } }),
    },
    'load_balancers.attachToNetwork': { family: 'networks', body: (id) => ({ network: id }) },
    'load_balancers.detachFromNetwork': { family: 'networks', body: (id) => ({ network: id }) },
  },
  errors,
  actions,
  consistency,
  traffic,
  crash,
  spec,
}
