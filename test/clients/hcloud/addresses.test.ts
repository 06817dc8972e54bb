/** The hcloud command line with Primary IPs and Floating IPs, which move between servers. */
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
  succeeds,
  tells,
  until,
  works,
} from './hcloud.ts'

const primary: Story = {
  title: 'moves a Primary IP between servers, names it, protects it and deletes it',
  steps: [
    makesServer('two', '--without-ipv4 --start-after-create=false'),
    // Version 1.30 loses the server for which it is asked to make a Primary IP.
    until(
      39,
      makesServer('one', '--start-after-create=false'),
      shows('primary-ip {server one public_net.ipv4.id}', { auto_delete: true }),
      works('primary-ip update {server one public_net.ipv4.id} --name web --auto-delete=false'),
    ),
    since(
      39,
      makesServer('one', '--without-ipv4 --start-after-create=false'),
      works('primary-ip create --type ipv4 --name web --assignee-id {server one}', /created/),
      works('primary-ip add-label web stage=test'),
      works('primary-ip add-label web role=front'),
      works('primary-ip remove-label web role'),
      lists('primary-ip list -l stage=test', ['web']),
    ),
    shows('primary-ip web', { type: 'ipv4', assignee_id: '{server one}', assignee_type: 'server', auto_delete: false }),
    shows('server one', { public_net: { ipv4: { id: '{primary-ip web}', ip: '{primary-ip web ip}' } } }),
    works('primary-ip list', '{primary-ip web} ipv4 web {primary-ip web ip}'),
    works('primary-ip describe web', '{primary-ip web ip}', 'Name: web'),
    refused('primary-ip delete web', 'must_be_unassigned', /unassigned/),
    refused('primary-ip assign web --server {server two}', 'primary_ip_already_assigned'),
    works('primary-ip unassign web'),
    shows('primary-ip web', { assignee_id: null }),
    refused('primary-ip unassign web', 'service_error', /not assigned/),
    works('primary-ip assign web --server {server two}'),
    shows('server two', { public_net: { ipv4: { id: '{primary-ip web}' } } }),
    works('server poweron two'),
    refused('primary-ip unassign web', 'server_not_stopped'),

    works('primary-ip set-rdns web --ip {primary-ip web ip} --hostname www.example.com'),
    shows('primary-ip web', { dns_ptr: [{ ip: '{primary-ip web ip}', dns_ptr: 'www.example.com' }] }),
    refused('primary-ip set-rdns web --ip 192.0.2.255 --hostname a.example.com', 'invalid_input', /'ip'/),
    works('primary-ip enable-protection web'),
    shows('primary-ip web', { protection: { delete: true } }),
    refused('primary-ip delete web', 'protected', 'Primary IP deletion is protected'),
    works('primary-ip disable-protection web'),
    works('primary-ip update web --name site --auto-delete'),
    shows('primary-ip site', { auto_delete: true }),
    refused('primary-ip enable-protection site', 'invalid_input'),
    deletes('server', 'two', 'one'),
    misused('primary-ip describe site', /primary ip not found: site/i),
  ],
}

const standing: Story = {
  title: 'makes a Primary IP without a server, where it knows locations',
  steps: [
    until(
      59,
      refused('primary-ip create --type ipv4 --name web', 'invalid_input'),
      refused('primary-ip create --type ipv4 --name web --datacenter hel1-dc2', 'invalid_input', /datacenter/),
    ),
    since(
      59,
      works('primary-ip create --type ipv6 --name six --location hel1 --label a=b --enable-protection delete'),
      shows('primary-ip six', {
        assignee_id: null,
        location: { name: 'hel1' },
        labels: { a: 'b' },
        protection: { delete: true },
      }),
      works('primary-ip disable-protection six'),
      makesServer('one', '--without-ipv4 --primary-ipv6 six'),
      shows('server one', { public_net: { ipv6: { id: '{primary-ip six}' } } }),
      works('server describe one', 'IPv4: No Primary IPv4'),
      deletes('server', 'one'),
      deletes('primary-ip', 'six'),
    ),
    refused('primary-ip create --type ipv5 --name web --assignee-id 1', 'invalid_input', /'type'/),
  ],
}

const floating: Story = {
  title: 'moves a Floating IP between servers, names it, protects it and deletes it',
  steps: [
    makesServer('one'),
    makesServer('two'),
    works(
      "floating-ip create --type ipv4 --home-location hel1 --name service --description 'for everybody' --label role=vip",
      'Floating IP {floating-ip service} created',
    ),
    shows('floating-ip service', {
      server: null,
      description: 'for everybody',
      home_location: { name: 'hel1' },
      labels: { role: 'vip' },
    }),
    works('floating-ip assign service one'),
    shows('floating-ip service', { server: '{server one}' }),
    shows('server one', { public_net: { floating_ips: ['{floating-ip service}'] } }),
    works('floating-ip assign service two'),
    shows('server one', { public_net: { floating_ips: [] } }),
    shows('server two', { public_net: { floating_ips: ['{floating-ip service}'] } }),
    works('floating-ip describe service', 'Name: two', '{floating-ip service ip}'),
    refused('floating-ip delete service', 'must_be_unassigned', /unassigned/),
    works('floating-ip unassign service'),
    shows('floating-ip service', { server: null }),
    works('floating-ip set-rdns service --hostname www.example.com'),
    shows('floating-ip service', { dns_ptr: [{ ip: '{floating-ip service ip}', dns_ptr: 'www.example.com' }] }),
    works('floating-ip add-label service stage=test'),
    works('floating-ip remove-label service role'),
    lists('floating-ip list -l stage=test,!role', ['service']),
    works('floating-ip update service --description changed'),
    works('floating-ip list', '{floating-ip service} ipv4 service changed {floating-ip service ip}'),
    works('floating-ip enable-protection service delete'),
    refused('floating-ip delete service', 'protected', 'Floating IP deletion is protected'),
    works('floating-ip disable-protection service delete'),
    works('floating-ip update service --name other'),
    misused('floating-ip assign other nowhere', /server not found: nowhere/i),
    refused('floating-ip create --type ipv4 --home-location moon', 'invalid_input', /home_location/),
    misused('floating-ip create --type ipv4', /home-location|server/),
    deletes('floating-ip', 'other'),
    deletes('server', 'one', 'two'),
  ],
}

const six: Story = {
  title: 'has a network of IPv6 addresses lead to a server, each with a name of its own',
  steps: [
    makesServer('one'),
    works('floating-ip create --type ipv6 --server one --name net'),
    shows('floating-ip net', { server: '{server one}', dns_ptr: [] }),
    async (hcloud) => {
      const ip = (await succeeds(hcloud, 'floating-ip list -o noheader -o columns=ip')).trim().replace('/64', '7')
      await works(`floating-ip set-rdns net --ip ${ip} --hostname seven.example.com`)(hcloud)
      await shows('floating-ip net', { dns_ptr: [{ ip, dns_ptr: 'seven.example.com' }] })(hcloud)
    },
    deletes('server', 'one'),
    shows('floating-ip net', { server: null }),
    deletes('floating-ip', 'net'),
  ],
}

await tells(import.meta.filename, [
  primary,
  standing,
  floating,
  six,
  leavesNothing('server', 'primary-ip', 'floating-ip'),
])
