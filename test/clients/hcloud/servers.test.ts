/** The hcloud command line with servers: made with all that hangs on them, changed, measured and deleted. */
import { publicKey } from '../kit/clients.ts'
import {
  deletes,
  leavesNothing,
  lists,
  makesServer,
  measures,
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

const web = [{ direction: 'in', protocol: 'tcp', port: '80', source_ips: ['0.0.0.0/0', '::/0'] }]
const files = {
  'key.pub': `${publicKey()}\n`,
  'rules.json': JSON.stringify(web),
  'cloud.yml': '#cloud-config\npackages: [nginx]\n',
}
const makesKey = works('ssh-key create --name laptop --public-key-from-file key.pub')

const creation: Story = {
  title: 'makes a server with an SSH key, a firewall and labels',
  files,
  steps: [
    makesKey,
    works('firewall create --name web --rules-file rules.json'),
    works(
      'server create --name one --type cpx22 --image debian-12 --ssh-key laptop --firewall web --label tier=front',
      'Server {server one} created',
      'IPv4: {server one public_net.ipv4.ip}',
      /^(?!.*password)/i,
    ),
    shows('server one', {
      status: 'running',
      locked: false,
      labels: { tier: 'front' },
      public_net: { firewalls: [{ id: '{firewall web}', status: 'applied' }] },
    }),
    shows('firewall web', { applied_to: [{ type: 'server', server: { id: '{server one}' } }] }),
    works('server list', '{server one} one running {server one public_net.ipv4.ip} {server one public_net.ipv6.ip}'),
    works('server describe one', 'running', 'cpx22', '{server one public_net.ipv4.ip}', 'debian-12', 'tier'),
    works('server ip one', '{server one public_net.ipv4.ip}'),
    works('server ip -6 one', /^[0-9a-f:]+::1$/),
    lists("server list -l 'tier in (front, back)'", ['one']),
    lists('server list -l tier!=front', []),
    refused('firewall delete web', 'resource_in_use', 'firewall with ID {firewall web} is still in use'),
    refused('server create --name one --type cpx22 --image debian-12', 'uniqueness_error', /already used/),
    deletes('server', 'one'),
    shows('firewall web', { applied_to: [] }),
    deletes('firewall', 'web'),
    deletes('ssh-key', 'laptop'),
  ],
}

const everything: Story = {
  title: 'makes a server with all that can hang on it, and starts it later',
  files,
  steps: [
    makesKey,
    works('firewall create --name web --rules-file rules.json'),
    works('network create --name net --ip-range 10.0.0.0/16'),
    works('network add-subnet net --type cloud --network-zone eu-central --ip-range 10.0.1.0/24'),
    works('volume create --name data --size 10 --location hel1'),
    works('placement-group create --name group --type spread'),
    refused(
      'server create --name other --type cpx22 --image debian-12 --location nbg1 --volume data',
      'invalid_input',
      /volumes/,
    ),
    makesServer('holder', '--start-after-create=false'),
    works('primary-ip update {server holder public_net.ipv4.id} --name address --auto-delete=false'),
    works('primary-ip unassign address'),
    makesServer(
      'full',
      '--network net --volume data --automount --placement-group group --primary-ipv4 address --without-ipv6 ' +
        '--firewall web --ssh-key laptop --label a=b --user-data-from-file cloud.yml --start-after-create=false',
    ),
    shows('server full', {
      status: 'off',
      labels: { a: 'b' },
      private_net: [{ network: '{network net}', ip: '10.0.1.1', alias_ips: [] }],
      volumes: ['{volume data}'],
      placement_group: { name: 'group', servers: ['{server full}'] },
      public_net: {
        ipv4: { id: '{primary-ip address}', ip: '{primary-ip address ip}' },
        firewalls: [{ id: '{firewall web}', status: 'applied' }],
      },
    }),
    works(
      'server describe full',
      'IPv6: No Primary IPv6',
      '10.0.1.1',
      'group',
      '{primary-ip address ip}',
      /Backup Window: Backups disabled/,
    ),
    works('server poweron full'),
    shows('server full', { status: 'running' }),
    refused('server add-to-placement-group full --placement-group group', 'server_not_stopped'),
    refused(
      `server create --name other --type cpx22 --image debian-12 --location hel1 --volume data`,
      'volume_already_attached',
    ),
    misused(
      'server create --name other --type cpx22 --image debian-12 --network nowhere',
      /network not found: nowhere/i,
    ),
    misused('server create --name other --type cpx22 --image debian-12 --volume nowhere', /volume not found: nowhere/i),
    misused('server create --name other --type cpx22 --image debian-12 --placement-group x', /group not found: x/i),
    misused('server create --name other --type cpx22 --image debian-12 --primary-ipv4 x', /primary ipv4 not found: x/i),
    misused('server create --name other --type cpx22 --image debian-12 --firewall x', /firewall not found: x/i),
    misused('server create --name other --type cpx22 --image debian-12 --ssh-key x', /ssh key.*\bx\b/i),
    deletes('server', 'full', 'holder'),
    shows('volume data', { server: null }),
    shows('network net', { servers: [] }),
    works('placement-group list', 'group 0 servers'),
    shows('primary-ip address', { assignee_id: null }),
    deletes('primary-ip', 'address'),
    deletes('placement-group', 'group'),
    deletes('volume', 'data'),
    deletes('network', 'net'),
    deletes('firewall', 'web'),
    deletes('ssh-key', 'laptop'),
  ],
}

const privately: Story = {
  title: 'makes a server that has only private addresses',
  steps: [
    misused(
      'server create --name one --type cpx22 --image debian-12 --without-ipv4 --without-ipv6',
      /network|ipv4|invalid_input/i,
    ),
    works('network create --name net --ip-range 10.0.0.0/24'),
    works('network add-subnet net --type cloud --network-zone eu-central --ip-range 10.0.0.0/24'),
    makesServer('one', '--without-ipv4 --without-ipv6 --network net'),
    shows('server one', {
      status: 'running',
      private_net: [{ network: '{network net}', ip: '10.0.0.2' }],
    }),
    works('server describe one', 'IPv4: No Primary IPv4', 'IPv6: No Primary IPv6'),
    deletes('server', 'one'),
    deletes('network', 'net'),
  ],
}

const options: Story = {
  title: 'makes a server with backups and protection, where it knows how to',
  steps: [
    since(
      39,
      makesServer('kept', '--enable-backup --enable-protection delete,rebuild'),
      shows('server kept', { backup_window: /^\d\d-\d\d$/, protection: { delete: true, rebuild: true } }),
      works('server disable-protection kept delete rebuild'),
      works('server disable-backup kept'),
      shows('server kept', { backup_window: null, protection: { delete: false, rebuild: false } }),
      deletes('server', 'kept'),
    ),
  ],
}

const labels: Story = {
  title: 'renames and labels a server, and lists servers in columns and in order',
  steps: [
    makesServer('one'),
    makesServer('before'),
    works('server update before --name behind'),
    works('server add-label behind stage=test'),
    misused('server add-label behind stage=live', /stage/),
    works('server add-label --overwrite behind stage=live'),
    shows('server behind', { labels: { stage: 'live' } }),
    lists('server list -l stage', ['behind']),
    lists('server list -s name:asc', ['behind', 'one']),
    lists('server list -s id:desc', ['behind', 'one']),
    refused('server list -s shape', 'invalid_input', /sort/),
    works(
      'server list -o noheader -o columns=name,status,type',
      /^behind running cpx22 one running cpx22$|^one running cpx22 behind running cpx22$/,
    ),
    since(44, lists('server list --status off', []), lists('server list --status running', ['one', 'behind'])),
    works('server remove-label behind stage'),
    shows('server behind', { labels: {} }),
    refused('server update behind --name one', 'uniqueness_error', 'server name is already used'),
    refused('server update behind --name not_a_host', 'invalid_input', "invalid input in field 'name'"),
    misused('server update nowhere --name one', /server not found: nowhere/i),
    deletes('server', 'one', 'behind'),
  ],
}

const power: Story = {
  title: 'powers a server off and on and protects it',
  steps: [
    makesServer('one'),
    works('server poweroff one', /stopped/),
    shows('server one', { status: 'off' }),
    works('server poweron one'),
    shows('server one', { status: 'running' }),
    works('server reset one'),
    works('server reboot one'),
    shows('server one', { status: 'running' }),
    works('server shutdown one'),
    shows('server one', { status: 'off' }),
    works('server enable-protection one delete rebuild'),
    shows('server one', { protection: { delete: true, rebuild: true } }),
    refused('server delete one', 'protected', 'server deletion is protected'),
    refused('server rebuild one --image debian-13', 'protected', 'server rebuild is protected'),
    works('server disable-protection one delete rebuild'),
    shows('server one', { protection: { delete: false, rebuild: false } }),
    misused('server enable-protection one shape', /shape/),
    deletes('server', 'one'),
    misused('server poweron one', /server not found: one/i),
  ],
}

const type: Story = {
  title: 'changes the type of a server, with its disk and without',
  steps: [
    makesServer('one'),
    refused('server change-type one cpx32', 'server_not_stopped'),
    works('server poweroff one'),
    misused('server change-type one nowhere', /server type not found: nowhere/i),
    refused('server change-type one cax21', 'invalid_server_type', /architecture/),
    works('server change-type one cpx32 --keep-disk', /server \d+ changed to type cpx32 \(disk size was unchanged\)/i),
    shows('server one', { status: 'running', server_type: { name: 'cpx32' }, primary_disk_size: 80 }),
    works('server poweroff one'),
    works('server change-type one cpx32'),
    shows('server one', { status: 'running', server_type: { name: 'cpx32' }, primary_disk_size: 160 }),
    works('server poweroff one'),
    refused('server change-type one cpx22', 'invalid_server_type', /sufficient disk space/),
    shows('server one', { status: 'off', server_type: { name: 'cpx32' } }),
    deletes('server', 'one'),
  ],
}

const access: Story = {
  title: 'rescues a server, resets its password and opens its console',
  files,
  steps: [
    makesKey,
    makesServer('one'),
    works(
      'server enable-rescue one --ssh-key laptop',
      '{server one} with root password: ',
      /rescue enabled for server/i,
    ),
    shows('server one', { rescue_enabled: true, status: 'running' }),
    works('server disable-rescue one', /rescue disabled for server/i),
    shows('server one', { rescue_enabled: false }),
    works('server enable-rescue one --type linux64'),
    works('server reset one'),
    shows('server one', { rescue_enabled: false, status: 'running' }),
    misused(
      'server enable-rescue one --type freebsd64',
      /invalid rescue type: freebsd64|invalid input in field 'type'/,
    ),
    misused('server enable-rescue one --ssh-key nobody', /ssh key not found: nobody/i),
    works('server reset-password one', '{server one} reset to: ', /password of server \d+ reset to: \w{8,}/i),
    works('server request-console one', /wss?:\/\/\S+/, /password/i),
    works('server poweroff one'),
    refused('server request-console one', 'service_error'),
    refused('server reset-password one', 'service_error', 'server is not running'),
    deletes('server', 'one'),
    deletes('ssh-key', 'laptop'),
  ],
}

const iso: Story = {
  title: 'attaches ISOs to a server',
  steps: [
    makesServer('one'),
    works('server attach-iso one systemrescue-12.02-amd64.iso', /attached to server/i),
    shows('server one', { iso: { name: 'systemrescue-12.02-amd64.iso' } }),
    works('server describe one', 'ISO: ID: 122898'),
    works('server attach-iso one 8637'),
    shows('server one', { iso: { id: 8637 } }),
    misused('server attach-iso one nowhere.iso', /iso not found: nowhere\.iso/i),
    until(39, refused('server attach-iso one 130001', 'invalid_input', "invalid input in field 'iso'")),
    since(39, misused('server attach-iso one 130001', /iso has a different architecture/i)),
    works('server detach-iso one', /detached/),
    shows('server one', { iso: null }),
    works('server detach-iso one'),
    deletes('server', 'one'),
  ],
}

const rdns: Story = {
  title: 'gives the addresses of a server names',
  steps: [
    makesServer('one'),
    works('server set-rdns one --hostname www.example.com'),
    works('server set-rdns one --ip {server one public_net.ipv4.ip} --hostname web.example.com'),
    shows('server one', { public_net: { ipv4: { dns_ptr: 'web.example.com' }, ipv6: { dns_ptr: [] } } }),
    async (hcloud) => {
      const ip = (await succeeds(hcloud, 'server ip -6 one')).trim()
      const named = [{ ip, dns_ptr: 'six.example.com' }]
      await works(`server set-rdns one --ip ${ip} --hostname six.example.com`)(hcloud)
      await shows('server one', { public_net: { ipv6: { dns_ptr: named } } })(hcloud)
    },
    refused(
      'server set-rdns one --ip 192.0.2.255 --hostname a.example.com',
      'invalid_input',
      "invalid input in field 'ip'",
    ),
    refused('server set-rdns one --hostname a.example.com.', 'invalid_input', "invalid input in field 'dns_ptr'"),
    since(
      44,
      works('server set-rdns one --reset'),
      shows('server one', { public_net: { ipv4: { dns_ptr: /^static\./ } } }),
    ),
    deletes('server', 'one'),
  ],
}

/** Version 1.30 does not find its way through JSON of placement groups. */
const placementGroup = (expected: object) => since(39, shows('placement-group group', expected))

const groups: Story = {
  title: 'spreads servers over hosts',
  steps: [
    works('placement-group create --name group --type spread --label a=b', /placement group \d+ created/i),
    placementGroup({ type: 'spread', servers: [], labels: { a: 'b' } }),
    makesServer('one', '--start-after-create=false'),
    works('server add-to-placement-group one --placement-group group'),
    shows('server one', { status: 'running', placement_group: { name: 'group' } }),
    placementGroup({ servers: ['{server one}'] }),
    works('placement-group list', 'group 1 server spread'),
    works('placement-group describe group', 'spread', 'Server Name: one'),
    works('server remove-from-placement-group one'),
    shows('server one', { status: 'running', placement_group: null }),
    works('placement-group update group --name other'),
    works('placement-group add-label other stage=test'),
    works('placement-group remove-label other a'),
    lists('placement-group list -l stage=test', ['other']),
    misused('server add-to-placement-group one --placement-group group', /group not found:? group/i),
    refused('placement-group create --name other --type spread', 'uniqueness_error', /already used/),
    refused('placement-group create --name near --type near', 'invalid_input', "invalid input in field 'type'"),
    deletes('placement-group', 'other'),
    deletes('server', 'one'),
  ],
}

const metrics: Story = {
  title: 'shows what was measured of a server',
  steps: [
    makesServer('one'),
    measures('server', 'one', 'cpu', ['cpu']),
    measures('server', 'one', 'disk', [
      'disk.0.iops.read',
      'disk.0.iops.write',
      'disk.0.bandwidth.read',
      'disk.0.bandwidth.write',
    ]),
    measures('server', 'one', 'network', [
      'network.0.pps.in',
      'network.0.pps.out',
      'network.0.bandwidth.in',
      'network.0.bandwidth.out',
    ]),
    misused('server metrics one --type heat', /invalid input in field 'type'|invalid metric type: heat/),
    misused('server metrics one --type cpu --start never', /start date has an invalid format/),
    deletes('server', 'one'),
  ],
}

const wrong: Story = {
  title: 'says what is wrong with a server that cannot be made',
  steps: [
    misused(
      'server create --name x --type cpx22 --image nowhere',
      /image .*nowhere.* not found|image not found: nowhere/i,
    ),
    until(
      39,
      refused('server create --name x --type nowhere --image debian-12', 'invalid_input', "in field 'server_type'"),
    ),
    since(39, misused('server create --name x --type nowhere --image debian-12', /server type not found: nowhere/i)),
    refused(
      'server create --name x --type cpx22 --image debian-12 --location ash',
      'invalid_input',
      /unsupported location for server type: cpx22 is available in fsn1, /,
    ),
    refused(
      'server create --name not_a_host --type cpx22 --image debian-12',
      'invalid_input',
      "invalid input in field 'name'",
    ),
    misused('server create --name x --type cpx22', /required flag\(s\) "image"/),
  ],
}

await tells(import.meta.filename, [
  creation,
  everything,
  privately,
  options,
  labels,
  power,
  type,
  access,
  iso,
  rdns,
  groups,
  metrics,
  wrong,
  leavesNothing('server', 'volume', 'network', 'placement-group', 'primary-ip', 'firewall', 'ssh-key'),
])
