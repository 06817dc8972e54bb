/** The hcloud command line with networks, their subnets and routes, and the servers in them. */
import {
  deletes,
  leavesNothing,
  lists,
  makesServer,
  misused,
  refused,
  type Story,
  shows,
  since,
  tells,
  withCatalogue,
  works,
} from './hcloud.ts'

const cloud = '--type cloud --network-zone eu-central'
const coupled = '--type vswitch --network-zone eu-central'

const shape: Story = {
  title: 'gives a network subnets and routes, and widens it',
  steps: [
    works('network create --name net --ip-range 10.0.0.0/24 --label role=back', 'Network {network net} created'),
    shows('network net', { ip_range: '10.0.0.0/24', subnets: [], routes: [], servers: [], labels: { role: 'back' } }),
    refused(`network add-subnet net ${cloud} --ip-range 10.0.16.0/24`, 'invalid_input', /ip_range/),
    works('network change-ip-range net --ip-range 10.0.0.0/16'),
    works(`network add-subnet net ${cloud} --ip-range 10.0.16.0/24`),
    works(`network add-subnet net --type server --network-zone us-east`),
    shows('network net', {
      ip_range: '10.0.0.0/16',
      subnets: [
        { type: 'cloud', ip_range: '10.0.16.0/24', network_zone: 'eu-central', gateway: '10.0.0.1' },
        { type: 'server', ip_range: '10.0.0.0/24', network_zone: 'us-east', gateway: '10.0.0.1' },
      ],
    }),
    works('network add-route net --destination 10.100.1.0/24 --gateway 10.0.1.1'),
    shows('network net', { routes: [{ destination: '10.100.1.0/24', gateway: '10.0.1.1' }] }),
    works('network list', '{network net} net 10.0.0.0/16 0 server'),
    works('network describe net', 'IP Range: 10.0.0.0/16', 'Destination: 10.100.1.0/24', 'Gateway: 10.0.1.1'),
    refused('network change-ip-range net --ip-range 10.0.0.0/24', 'invalid_input', /ip_range/),
    refused(
      'network add-route net --destination 10.100.1.0/25 --gateway 10.0.1.2',
      'invalid_input',
      /overlaps|destination/,
    ),
    refused('network remove-route net --destination 10.101.0.0/16 --gateway 10.0.1.1', 'not_found'),
    works('network remove-route net --destination 10.100.1.0/24 --gateway 10.0.1.1'),
    works('network remove-subnet net --ip-range 10.0.0.0/24'),
    refused('network remove-subnet net --ip-range 10.0.0.0/24', 'invalid_input', /'ip_range'/),
    shows('network net', { routes: [], subnets: [{ ip_range: '10.0.16.0/24' }] }),
    deletes('network', 'net'),
  ],
}

const vswitch: Story = {
  title: 'joins a network with a vSwitch',
  steps: [
    works('network create --name net --ip-range 10.0.0.0/16'),
    works(`network add-subnet net ${coupled} --vswitch-id 4711 --ip-range 10.0.3.0/24`),
    shows('network net', {
      subnets: [{ type: 'vswitch', vswitch_id: 4711, ip_range: '10.0.3.0/24', gateway: '10.0.3.1' }],
    }),
    refused(
      `network add-subnet net ${coupled} --vswitch-id 4712 --ip-range 10.0.4.0/24`,
      'service_error',
      'vswitch not found',
    ),
    refused(`network add-subnet net ${coupled} --ip-range 10.0.4.0/24`, 'invalid_input', /vswitch_id/),
    works('network create --name rival --ip-range 10.0.0.0/16'),
    refused(`network add-subnet rival ${coupled} --vswitch-id 4711 --ip-range 10.0.4.0/24`, 'vswitch_id_already_used'),
    deletes('network', 'rival'),
    since(
      39,
      works('network expose-routes-to-vswitch net', /enabled/i),
      shows('network net', { expose_routes_to_vswitch: true }),
      works('network expose-routes-to-vswitch net --disable'),
      shows('network net', { expose_routes_to_vswitch: false }),
      works('network create --name open --ip-range 10.1.0.0/16 --expose-routes-to-vswitch --enable-protection delete'),
      shows('network open', { expose_routes_to_vswitch: true, protection: { delete: true } }),
      works('network disable-protection open delete'),
      deletes('network', 'open'),
    ),
    deletes('network', 'net'),
  ],
}

const keeping: Story = {
  title: 'names, labels and protects a network',
  steps: [
    works('network create --name net --ip-range 10.0.0.0/16 --label role=back'),
    works('network add-label net stage=test'),
    works('network remove-label net role'),
    works('network update net --name base'),
    lists('network list -l stage=test', ['base']),
    refused('network create --name base --ip-range 10.0.0.0/16', 'uniqueness_error', 'name is already used'),
    works('network enable-protection base delete'),
    refused('network delete base', 'protected', 'network is delete protected'),
    works('network disable-protection base delete'),
    deletes('network', 'base'),
    misused('network describe base', /network not found: base/i),
  ],
}

const members: Story = {
  title: 'attaches servers to networks, with addresses of their own there',
  steps: [
    works('network create --name net --ip-range 10.0.0.0/16'),
    makesServer('one'),
    refused('server attach-to-network one --network net', 'no_subnet_available'),
    works(`network add-subnet net ${cloud} --ip-range 10.0.1.0/24`),
    works('server attach-to-network one --network net --ip 10.0.1.5 --alias-ips 10.0.1.6,10.0.1.7'),
    shows('server one', {
      private_net: [{ network: '{network net}', ip: '10.0.1.5', alias_ips: ['10.0.1.6', '10.0.1.7'] }],
    }),
    shows('network net', { servers: ['{server one}'] }),
    refused('server attach-to-network one --network net', 'server_already_attached'),
    refused('network remove-subnet net --ip-range 10.0.1.0/24', 'service_error', /servers are attached/),
    works('server change-alias-ips one --network net --alias-ips 10.0.1.8'),
    shows('server one', { private_net: [{ ip: '10.0.1.5', alias_ips: ['10.0.1.8'] }] }),
    works('server change-alias-ips one --network net --clear'),
    shows('server one', { private_net: [{ ip: '10.0.1.5', alias_ips: [] }] }),
    refused('server change-alias-ips one --network net --alias-ips 10.9.9.9', 'invalid_input', /alias_ips/),
    makesServer('two', '--network net'),
    shows('server two', { private_net: [{ ip: '10.0.1.1' }] }),
    works('server detach-from-network two --network net'),
    shows('server two', { private_net: [] }),
    refused('server detach-from-network two --network net', 'not_found', /not attached/),
    refused('server attach-to-network two --network net --ip 10.0.1.5', 'ip_not_available'),
    refused('server attach-to-network two --network net --ip 10.0.9.9', 'no_subnet_available'),
    since(
      55,
      works('server attach-to-network two --network net --ip-range 10.0.1.0/24'),
      shows('server two', { private_net: [{ ip: '10.0.1.1' }] }),
    ),
    works('network create --name twin --ip-range 10.0.0.0/8'),
    works(`network add-subnet twin ${cloud} --ip-range 10.0.1.0/24`),
    refused('server attach-to-network one --network twin', 'networks_overlap'),
    deletes('network', 'twin', 'net'),
    shows('server one', { private_net: [], status: 'running' }),
    misused('server attach-to-network one --network net', /network not found: net/i),
    deletes('server', 'one', 'two'),
  ],
}

const wrong: Story = {
  title: 'says what is wrong with a network that cannot be',
  steps: [
    refused('network create --name x --ip-range 8.8.8.0/24', 'invalid_input', "invalid input in field 'ip_range'"),
    refused('network create --name x --ip-range 10.0.0.0/25', 'invalid_input', "invalid input in field 'ip_range'"),
    misused('network create --name x --ip-range ten', /invalid argument "ten"/),
    works('network create --name net --ip-range 10.0.0.0/16'),
    refused('network add-subnet net --type cloud --network-zone moon', 'invalid_input', /network_zone/),
    refused('network add-subnet net --type cluster --network-zone eu-central', 'invalid_input', /type/),
    refused('network add-route net --destination 10.100.1.0/24 --gateway 10.0.0.1', 'invalid_input', /gateway/),
    deletes('network', 'net'),
  ],
}

await tells(
  import.meta.filename,
  [shape, vswitch, keeping, members, wrong, leavesNothing('server', 'network')],
  [withCatalogue({ vswitches: [{ id: 4711 }] })],
)
