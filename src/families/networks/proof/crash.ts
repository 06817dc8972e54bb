import {
  keyOf,
  named,
  namedState,
  protects,
  removes,
  renames,
  type State,
  showsNamed,
  showsProtected,
  when,
} from '../../../../test/kit/crash.ts'
import type { Proof } from '../../../../test/kit/proof.ts'
import { cloudSubnet, route } from './samples.ts'

const wideRanges = ['10.0.0.0/16', '10.0.0.0/12', '10.0.0.0/8']
const wider = ({ range }: State) => wideRanges[wideRanges.indexOf(range!) + 1]
const isMember = ({ network }: State) => Boolean(network)
/** What a server shows of the network that it is in. */
const showsMember = (network: string, aliases: readonly string[]) => [network, ...aliases].join(':')
const networkIn = ({ network }: State) => Number(network!.split(/[/:]/)[1])

export const crash: Proof['crash'] = {
  shows: {
    networks: (network) => ({
      ...showsNamed(network),
      range: network.ip_range,
      subnets: network.subnets.map((subnet: { ip_range: string }) => subnet.ip_range).join(' '),
      routes: network.routes.map((one: typeof route) => one.destination).join(' '),
      ...showsProtected(network),
    }),
    servers({ private_net: [own] }) {
      return { network: own ? showsMember(keyOf('networks', own.network), own.alias_ips) : '' }
    },
  },
  writes: {
    'POST /networks': (draw) => ({
      body: { ...named(draw), ip_range: '10.0.0.0/16', subnets: [cloudSubnet('10.0.1.0/24')], routes: [route] },
      makes: {
        ...namedState(draw),
        range: '10.0.0.0/16',
        subnets: '10.0.1.0/24',
        routes: route.destination,
        protected: 'no',
      },
    }),
    'PUT /networks/{networks}': renames,
    'DELETE /networks/{networks}': removes,
    'POST /networks/{networks}/actions/add_subnet': when(
      ({ subnets }) => subnets === '10.0.1.0/24',
      () => ({ body: cloudSubnet('10.0.2.0/24'), to: { subnets: '10.0.1.0/24 10.0.2.0/24' } }),
    ),
    'POST /networks/{networks}/actions/delete_subnet': when(
      ({ subnets }) => subnets !== '10.0.1.0/24',
      () => ({ body: { ip_range: '10.0.2.0/24' }, to: { subnets: '10.0.1.0/24' } }),
    ),
    'POST /networks/{networks}/actions/add_route': when(
      ({ routes }) => routes === '',
      () => ({ body: route, to: { routes: route.destination } }),
    ),
    'POST /networks/{networks}/actions/delete_route': when(
      ({ routes }) => routes !== '',
      () => ({ body: route, to: { routes: '' } }),
    ),
    'POST /networks/{networks}/actions/change_ip_range': (_, { state }) => {
      const range = wider(state)
      return range === undefined ? undefined : { body: { ip_range: range }, to: { range } }
    },
    'POST /networks/{networks}/actions/change_protection': protects,
    'POST /servers/{servers}/actions/attach_to_network': when(
      (state) => !isMember(state),
      ({ any }) => {
        const { id, key } = any('networks')
        return { body: { network: id }, to: { network: key } }
      },
    ),
    'POST /servers/{servers}/actions/detach_from_network': when(isMember, (_, { state }) => ({
      body: { network: networkIn(state) },
      to: { network: '' },
      // It is in the network until it was taken out.
      later: 'all',
    })),
    'POST /servers/{servers}/actions/change_alias_ips': when(isMember, ({ number }, { state }) => {
      const network = networkIn(state)
      const aliases = [`10.0.1.${100 + (number % 150)}`]
      return { body: { network, alias_ips: aliases }, to: { network: showsMember(`networks/${network}`, aliases) } }
    }),
  },
}
