/** The addresses, routes and packet filter of a host, which a unit of its own brings back at each boot. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Decided } from '../decisions.ts'
import { isPrivate } from '../decisions.ts'
import { isActive, type Machine } from '../machine.ts'
import { firewallFile, hostUnit, networkFile, routesFile } from '../paths.ts'
import type { Step } from '../steps.ts'

const unit = `[Unit]
Description=Network of a host of Wolke: addresses, routes and packet filter
Wants=openvswitch-switch.service
After=openvswitch-switch.service nftables.service network.target
PartOf=nftables.service
ReloadPropagatedFrom=nftables.service
Before=wolke.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh ${networkFile}
ExecReload=/bin/sh ${networkFile}
ExecStop=/usr/sbin/nft delete table inet wolke_host

[Install]
WantedBy=multi-user.target
`

/** Only the first host, which Wolke runs on, has addresses on the uplink. */
function networkText({ underlay, uplink, joined }: Decided): string {
  const own = joined ? [] : uplink.own
  const routing = [
    '# Routers do not learn routes by themselves, unless they are told to.',
    `ra=/proc/sys/net/ipv6/conf/${underlay.device}/accept_ra`,
    'if [ -e "$ra" ] && [ "$(cat "$ra")" = 1 ]; then echo 2 >"$ra"; fi',
    'echo 1 >/proc/sys/net/ipv4/ip_forward',
    'echo 1 >/proc/sys/net/ipv6/conf/all/forwarding',
  ]
  return [
    '#!/bin/sh',
    '# StepRecord by `wolke host setup`: the addresses, routes and packet filter of this host, at each boot.',
    'set -eu',
    `nft -f ${firewallFile}`,
    ...(joined ? [] : routing),
    ...(uplink.device === '' ? [] : [`ip link set ${uplink.device} up`]),
    'ip link set br-pub up',
    ...own.map((one) => `ip address replace ${one} dev br-pub${one.includes(':') ? ' nodad' : ''}`),
    `if [ -e ${routesFile} ]; then`,
    `  while read -r network router; do ip route replace "$network" via "$router" dev br-pub; done <${routesFile}`,
    'fi',
    '',
  ].join('\n')
}

/** What only hosts may reach is closed to all others. Servers of private pools reach the outside by the machine's address. */
function firewallText({ members, uplink, joined }: Decided): string {
  const { pool4, pool6 } = uplink
  const isRouter = uplink.device === '' && joined === undefined
  const hidden = isRouter ? [pool4, pool6].filter(isPrivate) : []
  const masquerades = hidden.map((pool) => {
    const family = pool.includes(':') ? 'ip6' : 'ip'
    return `    ${family} saddr ${pool} oifname != "br-pub" masquerade`
  })
  return [
    '# StepRecord by `wolke host setup`. It is a table of its own, beside those of the operator.',
    'table inet wolke_host',
    'delete table inet wolke_host',
    'table inet wolke_host {',
    '  set members {',
    '    type ipv4_addr',
    `    elements = { ${members.join(', ')} }`,
    '  }',
    '  chain input {',
    '    type filter hook input priority filter; policy accept;',
    '    iif lo accept',
    '    ip saddr @members accept',
    '    tcp dport { 6641-6644, 8443 } drop',
    '    udp dport { 4789, 6081 } drop',
    '    tcp dport 8169 iifname != "br-pub" drop',
    '  }',
    ...(masquerades.length === 0
      ? []
      : [
          '  chain postrouting {',
          '    type nat hook postrouting priority srcnat; policy accept;',
          ...masquerades,
          '  }',
        ]),
    '}',
    '',
  ].join('\n')
}

const forwarding = ['net/ipv4/ip_forward', 'net/ipv6/conf/all/forwarding'] as const

export function hostNetworkStep({ shell, decided }: Machine): Step {
  const service = 'wolke-host'
  const hasAddresses = async () => {
    const { stdout } = await shell.run('ip', '-oneline', 'address', 'show', 'dev', 'br-pub')
    return decided.joined !== undefined || decided.uplink.own.every((one) => stdout.includes(` ${one} `))
  }
  return {
    name: 'host-network',
    title: 'Addresses and packet filter, now and at each boot',
    files: async () => [
      { path: networkFile, text: networkText(decided) },
      { path: firewallFile, text: firewallText(decided) },
      { path: hostUnit, text: unit },
    ],
    isSo: async () =>
      (await isActive(shell, service)) &&
      (await shell.succeeds('nft', 'list', 'table', 'inet', 'wolke_host')) &&
      (await hasAddresses()),
    scripts: () => [
      {
        name: 'host-network',
        text: `systemctl daemon-reload\nsystemctl enable ${service}\nsystemctl restart ${service}\n`,
      },
    ],
    async note({ notes }) {
      for (const name of forwarding) notes[name] ??= readFileSync(`/proc/sys/${name}`, 'utf8').trim()
    },
    async undo({ notes }) {
      await shell.run('systemctl', 'disable', '--now', service)
      await shell.run('nft', 'delete', 'table', 'inet', 'wolke_host')
      for (const name of forwarding) if (notes[name] !== undefined) writeFileSync(`/proc/sys/${name}`, notes[name])
    },
  }
}

/** The uplink of hosts without a router elsewhere is a tunnel from each of them to the first one. */
export function tunnelsStep({ shell, decided: { underlay, central, members, uplink, joined } }: Machine): Step {
  const remotes = joined ? [central] : members.filter((one) => one !== underlay.address)
  const wanted = uplink.device === '' ? remotes : []
  // The number of a host in its network is in the name of the tunnel, which has 15 characters at most.
  const portOf = (remote: string) => `up-${remote.split('.').slice(2).join('-')}`
  const there = async () => {
    const { stdout } = await shell.run('ovs-vsctl', '--timeout=10', 'list-ports', 'br-pub')
    return uplink.device === '' ? stdout.split('\n').filter((port) => port.startsWith('up-')) : []
  }
  const surplus = async () => (await there()).filter((port) => !wanted.map(portOf).includes(port))
  return {
    name: 'tunnels',
    title: 'Tunnels of the uplink between hosts',
    async isSo() {
      const ports = await there()
      return ports.length === wanted.length && wanted.every((remote) => ports.includes(portOf(remote)))
    },
    scripts: async () => [
      // A host that has left gets nothing any more.
      ...(await surplus()).map((port) => ({
        name: 'tunnel-remove',
        text: 'ovs-vsctl --if-exists del-port br-pub "$1"\n',
        args: [port],
      })),
      ...wanted.map((remote) => ({
        name: 'tunnel',
        text: [
          'ovs-vsctl --may-exist add-port br-pub "$1" -- set interface "$1" type=vxlan \\',
          '  options:remote_ip="$2" options:local_ip="$3" options:key=8169',
          '',
        ].join('\n'),
        args: [portOf(remote), remote, underlay.address],
      })),
    ],
  }
}

/** The routes to servers go by the address that OVN's router has taken on the uplink. */
export function routesStep({ shell, decided: { uplink, joined } }: Machine): Step {
  const networks = { ipv4: ['172.31.0.0/16', uplink.pool4], ipv6: ['fd00:172:31::/64', uplink.pool6] }
  const routes = async () => {
    const lines: string[] = []
    for (const [family, own] of Object.entries(networks)) {
      const { stdout } = await shell.run('incus', 'network', 'get', 'pub', `volatile.network.${family}.address`)
      if (stdout.trim() !== '') lines.push(...own.map((network) => `${network} ${stdout.trim()}\n`))
    }
    return lines.join('')
  }
  return {
    name: 'routes',
    title: 'Routes to servers',
    async files() {
      // Before the networks are there, nobody knows the address.
      const text = joined ? '' : await routes()
      return text === '' ? [] : [{ path: routesFile, text }]
    },
    async isSo() {
      if (joined) return true
      const table = await shell.run('ip', 'route')
      return existsSync(routesFile) && table.stdout.includes(`${uplink.pool4} via`)
    },
    scripts: () => [{ name: 'routes', text: 'systemctl restart wolke-host\n' }],
  }
}
