/** The hcloud command line with firewalls and SSH keys. */
import { publicKey } from '../kit/clients.ts'
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
  until,
  works,
} from './hcloud.ts'

const everybody = ['0.0.0.0/0', '::/0']
const web = { direction: 'in', protocol: 'tcp', port: '80', source_ips: everybody, destination_ips: [] }
const ssh = {
  direction: 'in',
  protocol: 'tcp',
  port: '22',
  source_ips: ['28.239.13.1/32', '28.239.14.0/24', 'ff21:1eac:9a3b:ee58:5ca:990c:8bc9:c03b/128'],
  destination_ips: [],
  description: 'ssh from the office',
}
const ping = { direction: 'in', protocol: 'icmp', source_ips: everybody, destination_ips: [] }
const https = { direction: 'out', protocol: 'tcp', port: '443', source_ips: [], destination_ips: everybody }

/** Rules as the server shows them. */
const shown = (...rules: readonly object[]) => rules.map((rule) => ({ port: null, description: null, ...rule }))

const rules: Story = {
  title: 'changes the rules of a firewall',
  files: {
    'first.json': JSON.stringify([ssh, ping]),
    'second.json': JSON.stringify([ping, ssh, https]),
    'none.json': '[]',
    'bad.json': JSON.stringify([{ ...web, port: '70000' }]),
  },
  steps: [
    works('firewall create --name rules --rules-file first.json', 'Firewall {firewall rules} created'),
    shows('firewall rules', { rules: shown(ssh, ping) }),
    works(
      'firewall add-rule rules --direction out --protocol udp --port 53 --destination-ips 10.0.0.0/8 ' +
        '--destination-ips 2001:db8::/32 --description dns',
    ),
    shows('firewall rules', {
      rules: [{}, {}, { destination_ips: ['10.0.0.0/8', '2001:db8::/32'], description: 'dns' }].map((rule, at) => ({
        ...shown(ssh, ping)[at],
        ...rule,
      })),
    }),
    works('firewall replace-rules rules --rules-file second.json'),
    shows('firewall rules', { rules: shown(ping, ssh, https) }),
    works(
      'firewall describe rules',
      /Direction: in Protocol: icmp Source IPs: 0\.0\.0\.0\/0 ::\/0 - Direction: in/,
      /Description: ssh from the office Protocol: tcp Port: 22 Source IPs: 28\.239\.13\.1\/32 /,
      /Direction: out Protocol: tcp Port: 443 Destination IPs: 0\.0\.0\.0\/0 ::\/0/,
    ),
    works('firewall delete-rule rules --direction in --protocol icmp --source-ips 0.0.0.0/0 --source-ips ::/0'),
    shows('firewall rules', { rules: shown(ssh, https) }),
    works('firewall replace-rules rules --rules-file none.json'),
    shows('firewall rules', { rules: [] }),
    refused('firewall replace-rules rules --rules-file bad.json', 'invalid_input', "invalid input in field 'rules'"),
    deletes('firewall', 'rules'),
  ],
}

const outward: Story = {
  title: 'makes a firewall with labels and rules that go out',
  files: { 'web.json': JSON.stringify([web]), 'out.json': JSON.stringify([https, web]) },
  steps: [
    // Older versions lose destination_ips on the way, so that no server could take such a rule from them.
    until(
      44,
      works('firewall create --name out --label a=b --rules-file web.json'),
      shows('firewall out', { rules: shown(web), labels: { a: 'b' } }),
    ),
    since(
      44,
      works('firewall create --name out --label a=b --rules-file out.json'),
      shows('firewall out', { rules: shown(web, https), labels: { a: 'b' } }),
    ),
    works('firewall update out --name gate'),
    works('firewall add-label gate stage=test'),
    works('firewall remove-label gate a'),
    lists('firewall list -l stage', ['gate']),
    shows('firewall gate', { labels: { stage: 'test' } }),
    deletes('firewall', 'gate'),
  ],
}

const bySelector = '--type label_selector --label-selector foo=bar'
const byServer = '--type server --server direct'

const targets: Story = {
  title: 'applies a firewall to servers and label selectors, and removes it',
  files: { 'web.json': JSON.stringify([web]) },
  steps: [
    works('firewall create --name shield --rules-file web.json'),
    makesServer('direct'),
    makesServer('labelled', '--label foo=bar'),
    works(`firewall apply-to-resource shield ${byServer}`),
    works(`firewall apply-to-resource shield ${bySelector}`),
    shows('firewall shield', {
      applied_to: [
        { type: 'server', server: { id: '{server direct}' } },
        {
          type: 'label_selector',
          label_selector: { selector: 'foo=bar' },
          applied_to_resources: [{ type: 'server', server: { id: '{server labelled}' } }],
        },
      ],
    }),
    shows('server direct', { public_net: { firewalls: [{ id: '{firewall shield}', status: 'applied' }] } }),
    shows('server labelled', { public_net: { firewalls: [{ id: '{firewall shield}', status: 'applied' }] } }),
    works('firewall list', 'shield 1 Rule 1 Server | 1 Label Selector'),
    works('firewall describe shield', 'Server Name: direct'),
    refused(`firewall apply-to-resource shield ${byServer}`, 'firewall_already_applied'),
    refused(
      'firewall remove-from-resource shield --type server --server labelled',
      'firewall_managed_by_label_selector',
    ),
    works('server remove-label labelled foo'),
    shows('server labelled', { public_net: { firewalls: [] } }),
    works('server add-label labelled foo=bar'),
    shows('server labelled', { public_net: { firewalls: [{ status: 'applied' }] } }),
    works(`firewall remove-from-resource shield ${byServer}`),
    works(`firewall remove-from-resource shield ${bySelector}`),
    shows('firewall shield', { applied_to: [] }),
    shows('server direct', { public_net: { firewalls: [] } }),
    shows('server labelled', { public_net: { firewalls: [] } }),
    deletes('firewall', 'shield'),
    deletes('server', 'direct', 'labelled'),
  ],
}

const key = publicKey()

const keys: Story = {
  title: 'manages SSH keys',
  files: { 'key.pub': `${key}\n` },
  steps: [
    works('ssh-key create --name laptop --public-key-from-file key.pub', /SSH key \d+ created/i),
    shows('ssh-key laptop', { fingerprint: /^([0-9a-f]{2}:){15}[0-9a-f]{2}$/, public_key: `${key}\n` }),
    works('ssh-key list', '{ssh-key laptop} laptop {ssh-key laptop fingerprint}'),
    works('ssh-key add-label laptop team=core'),
    works('ssh-key update laptop --name desktop'),
    lists('ssh-key list -l team=core', ['desktop']),
    works('ssh-key remove-label desktop team'),
    shows('ssh-key {ssh-key desktop}', { name: 'desktop', labels: {} }),
    refused(
      'ssh-key create --name other --public-key-from-file key.pub',
      'uniqueness_error',
      'SSH key not unique: the public key is there already',
    ),
    refused(
      'ssh-key create --name other --public-key nonsense',
      'invalid_input',
      "invalid input in field 'public_key'",
    ),
    deletes('ssh-key', 'desktop'),
    works(`ssh-key create --name again --public-key '${key}'`),
    deletes('ssh-key', 'again'),
    misused('ssh-key describe again', /ssh key not found: again/i),
  ],
}

await tells(import.meta.filename, [rules, outward, targets, keys, leavesNothing('server', 'firewall', 'ssh-key')])
