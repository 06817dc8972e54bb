import { agree, type Proof, unique } from '../../../test/kit/proof.ts'
import { checkHolders } from '../addresses/proof.ts'
import { serverBody } from '../servers/proof.ts'
import { actions } from './proof/actions.ts'
import { crash } from './proof/crash.ts'
import { errors } from './proof/errors.ts'
import { body, samples, to } from './proof/samples.ts'
import { spec } from './proof/spec.ts'
import { traffic } from './proof/traffic.ts'

export { makePrimaryIp, makeStopped } from './proof/samples.ts'

export const proof: Proof = {
  samples,
  references: {
    'primary_ips.create': { family: 'servers', body: (id) => body({ assignee_id: id }) },
    'servers.create public_net.ipv4': {
      family: 'primary_ips',
      body: (id) => serverBody(unique('server'), { public_net: { ipv4: id } }),
    },
    'primary_ips.assign': { family: 'servers', body: to },
  },
  errors,
  actions,
  consistency: {
    resources: 'primary_ip',
    belongs: [['primary_ip', 'server_id', 'server']],
    rows: (found) => checkHolders(found, 'primary_ip'),
    shown: (api) =>
      agree(
        api,
        ['servers', ({ public_net: { ipv4, ipv6 } }) => [ipv4, ipv6].flatMap((ip) => ip?.id ?? [])],
        ['primary_ips', ({ assignee_id: id, assignee_type: type }) => (type === 'server' ? [id] : [])],
      ),
  },
  traffic,
  crash,
  spec,
}
