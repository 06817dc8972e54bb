/** What is asked of hosts, in rounds: the last request of each leaves everything as it was before the first one. */
import type { ProcessPlace } from '../kit/process.ts'

/** Ids of what there is, by the name that a round calls it. */
export type Ids = Readonly<Record<string, number>>

export interface Request {
  readonly method: 'post' | 'put' | 'delete'
  readonly path: string
  readonly body?: object
  /** The key of the answer that has what was made, whose id later requests of the round know under the same name. */
  readonly makes?: string
  /** Nobody dies of it: another request has all deaths of such a one. */
  readonly isSafe?: boolean
}

type Round = (ids: Ids, place: ProcessPlace) => readonly (() => Request)[]

const make = (path: string, makes: string, body: object): Request => ({ method: 'post', path, body, makes })
const drop = (path: string): Request => ({ method: 'delete', path })
const safely = (request: Request): Request => ({ ...request, isSafe: true })
const act = (resource: string, command: string, body?: object): Request => ({
  method: 'post',
  path: `${resource}/actions/${command}`,
  ...(body ? { body } : {}),
})

const rule = (port: string) => ({ direction: 'in', protocol: 'tcp', port, source_ips: ['0.0.0.0/0', '::/0'] })
const subnet = { type: 'cloud', ip_range: '10.0.0.0/24', network_zone: 'eu-central' }
const resource = (server: number) => ({ type: 'server', server: { id: server } })
const service = { protocol: 'tcp', listen_port: 80, destination_port: 8080 }

/** The servers `one` and `two` run on different hosts, and each round finds them as they are in the beginning. */
export const rounds: Readonly<Record<string, Round>> = {
  'a server is made and removed': (ids, { location, image, type }) => [
    () => make('/servers', 'server', { name: 'more', location, image, server_type: type, ssh_keys: [ids.key] }),
    () => drop(`/servers/${ids.server}`),
  ],
  'a server is made with all that it can have': (ids, { location, image, type }) => [
    () => safely(make('/volumes', 'volume', { name: 'full', size: 10, location, format: 'ext4' })),
    () => safely(make('/firewalls', 'firewall', { name: 'full', rules: [rule('22')] })),
    () => safely(make('/networks', 'network', { name: 'full', ip_range: '10.0.0.0/16', subnets: [subnet] })),
    () =>
      make('/servers', 'server', {
        ...{ name: 'full', location, image, server_type: type, ssh_keys: [ids.key], networks: [ids.network] },
        ...{ volumes: [ids.volume], firewalls: [{ firewall: ids.firewall }] },
      }),
    () => drop(`/servers/${ids.server}`),
    () => safely(drop(`/networks/${ids.network}`)),
    () => safely(drop(`/firewalls/${ids.firewall}`)),
    () => safely(drop(`/volumes/${ids.volume}`)),
  ],
  'power goes and comes': ({ one }) => [
    () => act(`/servers/${one}`, 'reset'),
    () => act(`/servers/${one}`, 'poweroff'),
    () => act(`/servers/${one}`, 'poweron'),
    () => act(`/servers/${one}`, 'reboot'),
    () => act(`/servers/${one}`, 'shutdown'),
    () => safely(act(`/servers/${one}`, 'poweron')),
  ],
  'a server is installed anew': ({ one }, { image }) => [() => act(`/servers/${one}`, 'rebuild', { image })],
  // It gets its power back each time.
  'a server gets another type': ({ one }, { type, largerType }) => [
    () => safely(act(`/servers/${one}`, 'poweroff')),
    () => act(`/servers/${one}`, 'change_type', { server_type: largerType, upgrade_disk: false }),
    () => safely(act(`/servers/${one}`, 'poweroff')),
    () => act(`/servers/${one}`, 'change_type', { server_type: type, upgrade_disk: false }),
  ],
  'a snapshot is made and removed': (ids) => [
    () => ({ ...act(`/servers/${ids.one}`, 'create_image', { type: 'snapshot' }), makes: 'image' }),
    () => drop(`/images/${ids.image}`),
  ],
  'a backup is made and removed': (ids) => [
    () => act(`/servers/${ids.one}`, 'enable_backup'),
    () => act(`/servers/${ids.one}`, 'create_image', { type: 'backup' }),
    () => act(`/servers/${ids.one}`, 'disable_backup'),
  ],
  'a volume is made, grows, moves between hosts and is removed': (ids, { location }) => [
    () => make('/volumes', 'volume', { name: 'data', size: 10, location, format: 'ext4' }),
    () => act(`/volumes/${ids.volume}`, 'attach', { server: ids.one }),
    () => act(`/volumes/${ids.volume}`, 'resize', { size: 12 }),
    () => act(`/volumes/${ids.volume}`, 'detach'),
    () => act(`/volumes/${ids.volume}`, 'attach', { server: ids.two }),
    () => act(`/volumes/${ids.volume}`, 'detach'),
    () => drop(`/volumes/${ids.volume}`),
  ],
  'a network is made, joined, routed and removed': (ids) => [
    () => make('/networks', 'network', { name: 'own', ip_range: '10.0.0.0/16', subnets: [subnet] }),
    () => act(`/servers/${ids.one}`, 'attach_to_network', { network: ids.network, ip: '10.0.0.2' }),
    () => act(`/servers/${ids.one}`, 'change_alias_ips', { network: ids.network, alias_ips: ['10.0.0.50'] }),
    () => act(`/networks/${ids.network}`, 'add_route', { destination: '10.100.0.0/16', gateway: '10.0.0.2' }),
    () => act(`/networks/${ids.network}`, 'delete_route', { destination: '10.100.0.0/16', gateway: '10.0.0.2' }),
    () => act(`/servers/${ids.one}`, 'detach_from_network', { network: ids.network }),
    () => drop(`/networks/${ids.network}`),
  ],
  'a filter is made, applied, changed and removed': (ids) => [
    () => make('/firewalls', 'firewall', { name: 'wall', rules: [rule('22')] }),
    () =>
      act(`/firewalls/${ids.firewall}`, 'apply_to_resources', { apply_to: [resource(ids.one!), resource(ids.two!)] }),
    () => act(`/firewalls/${ids.firewall}`, 'set_rules', { rules: [rule('22'), rule('80')] }),
    () =>
      act(`/firewalls/${ids.firewall}`, 'remove_from_resources', {
        remove_from: [resource(ids.one!), resource(ids.two!)],
      }),
    () => drop(`/firewalls/${ids.firewall}`),
  ],
  'a Floating IP is made, moves and is removed': (ids, { location }) => [
    () => make('/floating_ips', 'floating_ip', { type: 'ipv4', home_location: location }),
    () => act(`/floating_ips/${ids.floating_ip}`, 'assign', { server: ids.one }),
    () => act(`/floating_ips/${ids.floating_ip}`, 'assign', { server: ids.two }),
    () => act(`/floating_ips/${ids.floating_ip}`, 'unassign'),
    () => drop(`/floating_ips/${ids.floating_ip}`),
  ],
  'a Primary IP is made, moves and is removed': (ids, { location, image, type }) => [
    () => make('/primary_ips', 'primary_ip', { type: 'ipv4', name: 'own', assignee_type: 'server', location }),
    () =>
      safely(
        make('/servers', 'server', {
          ...{ name: 'bare', location, image, server_type: type, ssh_keys: [ids.key], start_after_create: false },
          public_net: { enable_ipv4: false, enable_ipv6: true },
        }),
      ),
    () => act(`/primary_ips/${ids.primary_ip}`, 'assign', { assignee_id: ids.server, assignee_type: 'server' }),
    () => safely(act(`/servers/${ids.server}`, 'poweron')),
    () => safely(act(`/servers/${ids.server}`, 'poweroff')),
    () => act(`/primary_ips/${ids.primary_ip}`, 'unassign'),
    () => drop(`/primary_ips/${ids.primary_ip}`),
    () => safely(drop(`/servers/${ids.server}`)),
  ],
  'a balancer is made, changed and removed': (ids, { location }) => [
    () => make('/load_balancers', 'load_balancer', { name: 'lb', load_balancer_type: 'lb11', location }),
    () => act(`/load_balancers/${ids.load_balancer}`, 'add_service', service),
    () => safely(act(`/load_balancers/${ids.load_balancer}`, 'add_target', resource(ids.one!))),
    () => drop(`/load_balancers/${ids.load_balancer}`),
  ],
}
