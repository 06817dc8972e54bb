import {
  anyLabels,
  anyName,
  anyProtection,
  anyRename,
  type Draw,
  noBody,
  type Proof,
} from '../../../../test/kit/proof.ts'
import { cloudSubnet, route } from './samples.ts'

const ranges = ['10.0.0.0/16', '10.1.0.0/16', '10.0.0.0/8']
/** Small ones, so that their addresses run out. */
const subnets = ['10.0.1.0/29', '10.0.2.0/29', '10.1.1.0/29'].map(cloudSubnet)
const routes = [route, { destination: '10.100.2.0/24', gateway: '10.0.2.2' }]
const hosts = ['10.0.1.2', '10.0.1.3', '10.0.1.4', '10.0.2.2', '10.0.2.3', '10.1.1.2']

const anyAddresses = ({ oneOf }: Draw) =>
  oneOf<object>([{}, {}, { ip: oneOf(hosts) }, { alias_ips: [oneOf(hosts)] }, { ip_range: oneOf(subnets).ip_range }])

const anyNetwork = async ({ any }: Draw) => (await any('networks')).id

export const traffic: Proof['traffic'] = {
  kind: 'network',
  requests: {
    'POST /networks': (draw) => {
      const topology = draw.oneOf<object>([
        {},
        { subnets: [draw.oneOf(subnets)] },
        { subnets: [subnets[0]] },
        { subnets: subnets.slice(0, 2) },
      ])
      return { name: anyName('n', draw), labels: anyLabels(draw), ip_range: draw.oneOf(ranges), ...topology }
    },
    'PUT /networks/{networks}': anyRename('n'),
    'DELETE /networks/{networks}': noBody,
    'POST /networks/{networks}/actions/add_subnet': ({ oneOf }) => oneOf(subnets),
    'POST /networks/{networks}/actions/delete_subnet': ({ oneOf }) => ({ ip_range: oneOf(subnets).ip_range }),
    'POST /networks/{networks}/actions/add_route': ({ oneOf }) => oneOf(routes),
    'POST /networks/{networks}/actions/delete_route': ({ oneOf }) => oneOf(routes),
    'POST /networks/{networks}/actions/change_ip_range': ({ oneOf }) => ({ ip_range: oneOf(ranges) }),
    'POST /networks/{networks}/actions/change_protection': anyProtection,
    'POST /servers/{servers}/actions/attach_to_network': async (draw) => ({
      network: await anyNetwork(draw),
      ...anyAddresses(draw),
    }),
    'POST /servers/{servers}/actions/detach_from_network': async (draw) => ({ network: await anyNetwork(draw) }),
    'POST /servers/{servers}/actions/change_alias_ips': async (draw) => ({
      network: await anyNetwork(draw),
      alias_ips: draw.oneOf([[], [draw.oneOf(hosts)], hosts.slice(0, 2)]),
    }),
  },
  adds: { 'POST /servers': async (draw) => ({ networks: [await anyNetwork(draw)] }) },
}
