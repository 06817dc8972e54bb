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
  yesOrNo,
} from '../../../../test/kit/crash.ts'
import type { Proof } from '../../../../test/kit/proof.ts'
import { balancerBody, tcp, toServer } from './samples.ts'

/** What a service shows of itself. */
const showsService = (port: number, destination: number) => `${port}>${destination}`
const servicesIn = ({ services }: State) => services!.split(' ').filter((one) => one !== '')
const firstPort = (state: State) => Number(servicesIn(state)[0]!.split('>')[0])
const hasServices = ({ services }: State) => services !== ''
const idIn = (key: string) => Number(key.split('/')[1])
const unlike = (is: string | undefined, [one, other]: readonly [string, string]) => (is === one ? other : one)

export const crash: Proof['crash'] = {
  shows: {
    load_balancers: (balancer) => ({
      ...showsNamed(balancer),
      type: balancer.load_balancer_type.name,
      algorithm: balancer.algorithm.type,
      services: balancer.services
        .map((one: { listen_port: number; destination_port: number }) =>
          showsService(one.listen_port, one.destination_port),
        )
        .join(' '),
      target: balancer.targets.map(({ server }: ReturnType<typeof toServer>) => keyOf('servers', server.id)).join(' '),
      network: keyOf('networks', balancer.private_net[0]?.network),
      public: yesOrNo(balancer.public_net.enabled),
      reverse: balancer.public_net.ipv4.dns_ptr ?? '',
      ...showsProtected(balancer),
    }),
  },
  writes: {
    'POST /load_balancers': (draw) => {
      const [target, network] = draw.oneOf<readonly [boolean, boolean]>([
        [false, false],
        [true, false],
        [false, true],
      ])
      const [server, inside] = [target && draw.any('servers'), network && draw.any('networks')]
      const port = 1 + (draw.number % 60_000)
      return {
        body: {
          ...balancerBody(named(draw)),
          services: [tcp(port)],
          targets: server ? [toServer(server.id)] : [],
          network: inside ? inside.id : null,
        },
        makes: {
          ...namedState(draw),
          type: 'lb11',
          algorithm: 'round_robin',
          services: showsService(port, 80),
          target: server ? server.key : '',
          network: inside ? inside.key : '',
          public: 'yes',
          protected: 'no',
        },
      }
    },
    'PUT /load_balancers/{load_balancers}': renames,
    'DELETE /load_balancers/{load_balancers}': removes,
    'POST /load_balancers/{load_balancers}/actions/add_service': (draw, { state }) => {
      const port = 1 + (draw.number % 60_000)
      const certificate = draw.oneOf([false, true]) && draw.any('certificates', ({ type }) => type === 'uploaded')
      const https = certificate ? { protocol: 'https', http: { certificates: [certificate.id] } } : {}
      const services = [...servicesIn(state), showsService(port, 80)]
      return {
        body: { ...tcp(port), ...https },
        to: { services: services.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)).join(' ') },
      }
    },
    'POST /load_balancers/{load_balancers}/actions/update_service': when(hasServices, ({ number }, { state }) => {
      const port = firstPort(state)
      const destination = 1 + (number % 60_000)
      const [, ...others] = servicesIn(state)
      return {
        body: { listen_port: port, destination_port: destination },
        to: { services: [showsService(port, destination), ...others].join(' ') },
      }
    }),
    'POST /load_balancers/{load_balancers}/actions/delete_service': when(hasServices, (_, { state }) => ({
      body: { listen_port: firstPort(state) },
      to: { services: servicesIn(state).slice(1).join(' ') },
    })),
    'POST /load_balancers/{load_balancers}/actions/add_target': when(
      ({ target }) => !target,
      ({ any }) => {
        const { id, key } = any('servers')
        return { body: toServer(id), to: { target: key } }
      },
    ),
    'POST /load_balancers/{load_balancers}/actions/remove_target': when(
      ({ target }) => Boolean(target),
      (_, { state }) => ({ body: { type: 'server', server: { id: idIn(state.target!) } }, to: { target: '' } }),
    ),
    'POST /load_balancers/{load_balancers}/actions/attach_to_network': when(
      ({ network }) => !network,
      ({ any }) => {
        const { id, key } = any('networks')
        return { body: { network: id }, to: { network: key } }
      },
    ),
    'POST /load_balancers/{load_balancers}/actions/detach_from_network': when(
      ({ network }) => Boolean(network),
      (_, { state }) => ({ body: { network: idIn(state.network!) }, to: { network: '' } }),
    ),
    'POST /load_balancers/{load_balancers}/actions/change_algorithm': (_, { state }) => {
      const algorithm = unlike(state.algorithm, ['round_robin', 'least_connections'])
      return { body: { type: algorithm }, to: { algorithm } }
    },
    'POST /load_balancers/{load_balancers}/actions/change_type': (_, { state }) => {
      const type = unlike(state.type, ['lb11', 'lb21'])
      return { body: { load_balancer_type: type }, to: { type } }
    },
    'POST /load_balancers/{load_balancers}/actions/enable_public_interface': when(
      (state) => state.public === 'no',
      () => ({ to: { public: 'yes' } }),
    ),
    'POST /load_balancers/{load_balancers}/actions/disable_public_interface': when(
      ({ network, target }) => Boolean(network) && !target,
      () => ({ to: { public: 'no' } }),
    ),
    'POST /load_balancers/{load_balancers}/actions/change_dns_ptr': ({ version }, { shown: { public_net } }) => ({
      body: { ip: public_net.ipv4.ip, dns_ptr: `${version}.example.com` },
      to: { reverse: `${version}.example.com` },
    }),
    'POST /load_balancers/{load_balancers}/actions/change_protection': protects,
  },
}
