/** Load Balancers in seed files. */
import { type Fields, protectedParts, protection, type Seed } from '../../kernel/resource/seed.ts'
import { givenNames, reverseNames } from '../addresses/seed.ts'

const targetOf = ({ type, server, label_selector, ip, use_private_ip }: Fields) => ({
  type,
  server,
  label_selector,
  ip,
  use_private_ip: use_private_ip || null,
})

/** Names of Primary IPs are told there. */
const ownNames = ({ ipv4, ipv6 }: Fields) =>
  [ipv4, ipv6].filter(({ id, dns_ptr }) => (id ?? null) === null && (dns_ptr ?? null) !== null)

export const seed: Seed = {
  without: ['network', 'network_zone', 'targets', 'public_interface'],
  usual: { public_interface: true },
  parts: {
    services: { by: 'add_service', each: ['listen_port'], isCreated: true, undo: 'delete_service' },
    networks: { by: 'attach_to_network', each: ['network'], undo: 'detach_from_network' },
    // Those that are reached by private addresses need the network.
    targets: { by: 'add_target', each: ['type', 'server', 'label_selector', 'ip'], undo: 'remove_target' },
    ...reverseNames(({ public_net: { ipv4, ipv6 } }) => ({ ipv4: ipv4.ip, ipv6: ipv6.ip })),
    public_interface: { by: 'disable_public_interface', when: (isPublic) => isPublic === false },
    protection,
  },
  entry: (balancer, { has }) => {
    const { load_balancer_type, location, algorithm, services, targets, private_net, public_net, labels } = balancer
    const named = ({ id }: Fields) => (has('primary_ip', id) ? id : null)
    return {
      load_balancer_type: load_balancer_type.name,
      location: location.name,
      algorithm,
      public_net: { ipv4: named(public_net.ipv4), ipv6: named(public_net.ipv6) },
      services: services.map(({ http, ...service }: Fields) => ({
        ...service,
        http: service.protocol === 'tcp' ? null : http,
      })),
      networks: private_net.map(({ network, ip }: Fields) => ({ network, ip })),
      targets: targets.map(targetOf),
      ...givenNames(ownNames(public_net)),
      public_interface: public_net.enabled,
      labels,
      protection: protectedParts(balancer.protection),
    }
  },
  untold: ['its addresses'],
}
