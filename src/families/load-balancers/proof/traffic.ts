import {
  anyLabels,
  anyName,
  anyProtection,
  anyRename,
  type Draw,
  noBody,
  type Proof,
  type RandomBody,
} from '../../../../test/kit/proof.ts'
import { toSelector, toServer } from './samples.ts'

const anyPort = ({ oneOf }: Draw) => oneOf([80, 443, 8080])

const anyTarget: RandomBody = async (draw) => {
  const isPrivate = draw.number(2) === 0
  if (draw.number(2) === 0) return toServer((await draw.any('servers')).id, isPrivate)
  return toSelector(draw.oneOf(['env=dev', 'tier', 'env in (dev,prod)']), isPrivate)
}

const anyService = async (draw: Draw): Promise<object> => {
  const protocol = draw.oneOf(['tcp', 'http', 'https'])
  const http = protocol === 'https' ? { http: { certificates: [(await draw.any('certificates')).id] } } : {}
  return { protocol, listen_port: anyPort(draw), destination_port: 80, ...http }
}

const network = async ({ any }: Draw) => ({ network: (await any('networks')).id })

export const traffic: Proof['traffic'] = {
  kind: 'load_balancer',
  requests: {
    async 'POST /load_balancers'(draw) {
      const more = draw.oneOf<() => Promise<object>>([
        async () => ({}),
        async () => ({ targets: [await anyTarget(draw, { id: 0 })] }),
        async () => ({ services: [await anyService(draw)] }),
        async () => network(draw),
        async () => ({ public_net: { ipv4: (await draw.any('primary_ips')).id } }),
      ])
      const named = { name: anyName('l', draw), labels: anyLabels(draw) }
      return { ...named, load_balancer_type: draw.oneOf(['lb11', 'lb21']), location: 'fsn1', ...(await more()) }
    },
    'PUT /load_balancers/{load_balancers}': anyRename('l'),
    'DELETE /load_balancers/{load_balancers}': noBody,
    'POST /load_balancers/{load_balancers}/actions/add_service': anyService,
    'POST /load_balancers/{load_balancers}/actions/update_service': (draw) => ({
      listen_port: anyPort(draw),
      ...draw.oneOf<object>([{ destination_port: 81 }, { protocol: 'http' }, { proxyprotocol: true }]),
    }),
    'POST /load_balancers/{load_balancers}/actions/delete_service': (draw) => ({ listen_port: anyPort(draw) }),
    'POST /load_balancers/{load_balancers}/actions/add_target': anyTarget,
    'POST /load_balancers/{load_balancers}/actions/remove_target': anyTarget,
    'POST /load_balancers/{load_balancers}/actions/attach_to_network': network,
    'POST /load_balancers/{load_balancers}/actions/detach_from_network': network,
    'POST /load_balancers/{load_balancers}/actions/change_algorithm': ({ oneOf }) => ({
      type: oneOf(['round_robin', 'least_connections']),
    }),
    'POST /load_balancers/{load_balancers}/actions/change_type': ({ oneOf }) => ({
      load_balancer_type: oneOf(['lb11', 'lb21']),
    }),
    'POST /load_balancers/{load_balancers}/actions/enable_public_interface': noBody,
    'POST /load_balancers/{load_balancers}/actions/disable_public_interface': noBody,
    'POST /load_balancers/{load_balancers}/actions/change_protection': anyProtection,
    'POST /load_balancers/{load_balancers}/actions/change_dns_ptr': ({ number }, { public_net }) => ({
      ip: number(2) === 0 ? public_net.ipv4.ip : public_net.ipv6.ip,
      dns_ptr: number(2) === 0 ? null : `l${number(12)}.example.com`,
    }),
  },
}
