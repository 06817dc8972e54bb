/** Brings up the hosts of a lab and makes a cluster of them, from within the lab's own namespaces. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { images } from '../src/catalogue/images.ts'
import { build } from './build.ts'
import { output } from './commands.ts'
import { on, startHost, startNetwork, step } from './hosts.ts'
import type { Lab, Member } from './lab.ts'

const here = import.meta.dirname
/** A single host has everything that tests of the lab itself look at. */
const names = ['h1', 'h2', 'h3'].slice(0, Number(process.env.WOLKE_LAB_HOSTS ?? 3))
const addressOf = (index: number) => `10.99.0.${index + 1}`
const pool = ['size', '6GiB']
const pools = { ipv4: '198.18.0.0/16', ipv6: '2001:db8:100::/40' }
const outside = { ipv4: '198.51.100.1', ipv6: '2001:db8:ff::1' }
/** Addresses that the router of servers takes on the uplink. */
const routers = '198.51.100.100-198.51.100.200'

/** Starts a lab in this process's namespaces and returns what it is. Errors: one with what the failed step said. */
export async function startLab(name: string, folder: string): Promise<Lab> {
  const parts = await build()
  await Promise.all([makeCertificates(join(folder, 'tls')), makeFabric()])
  const members = await Promise.all(
    names.map((host, index) =>
      startHost({ lab: name, folder, root: parts.host, image: parts.image, name: host, address: addressOf(index) }),
    ),
  )
  if (members.length === 0) return describe(name, folder, [])
  await makeCluster(members, folder)
  await Promise.all([makeNetworks(members[0]!), importImage(members[0]!)])
  return describe(name, folder, members)
}

async function makeCertificates(folder: string): Promise<void> {
  mkdirSync(folder)
  const script = join(here, 'host/certificates.sh')
  // The first one makes the authority of all.
  for (const [index, name] of names.entries()) await output('sh', script, folder, name, addressOf(index))
  await output('sh', script, folder, 'wolke')
}

/** Two networks: that of the hosts, and the uplink, where this side is the router. */
async function makeFabric(): Promise<void> {
  await output('ip', 'link', 'set', 'lo', 'up')
  for (const bridge of ['hosts', 'uplink']) {
    await output('ip', 'link', 'add', bridge, 'type', 'bridge')
    await output('ip', 'link', 'set', bridge, 'up')
    await output('ethtool', '-K', bridge, 'tx', 'off')
  }
  await output('ip', 'address', 'add', '10.99.0.254/24', 'dev', 'hosts')
  await output('ip', 'address', 'add', `${outside.ipv4}/24`, 'dev', 'uplink')
  await output('ip', 'address', 'add', `${outside.ipv6}/64`, 'dev', 'uplink', 'nodad')
}

async function makeCluster([first, ...others]: readonly Member[], folder: string): Promise<void> {
  await Promise.all([
    startNetwork(first!, first!).then(() =>
      step(first!, 'host/incus-first', first!.name, first!.address, first!.address, ...pool),
    ),
    ...others.map((member) => startNetwork(member, first!).then(() => on(member, 'systemctl', 'start', 'incus'))),
  ])
  // Incus takes one member after the other.
  for (const member of others) {
    const token = await on(first!, 'incus', 'cluster', 'add', member.name, '--quiet')
    await step(member, 'host/incus-join', member.address, token.trim(), ...pool)
  }
  const certificate = await output('cat', join(folder, 'tls/wolke.crt'))
  writeFileSync(join(folder, 'h1/incus/wolke.crt'), certificate)
  await step(first!, 'host/access', '/var/lib/incus/wolke.crt')
}

async function makeNetworks(first: Member): Promise<void> {
  const gateways = [`${outside.ipv4}/24`, routers, `${outside.ipv6}/64`]
  await step(first, 'host/networks', ...gateways, pools.ipv4, pools.ipv6)
  for (const family of ['ipv4', 'ipv6']) {
    const router = (await on(first, 'incus', 'network', 'get', 'pub', `volatile.network.${family}.address`)).trim()
    if (isIP(router) === 0)
      throw new Error(`The router of servers has no address of ${family} on the uplink: ${router}`)
    const routes = family === 'ipv4' ? ['172.31.0.0/16', pools.ipv4] : ['fd00:172:31::/64', pools.ipv6]
    for (const route of routes) await output('ip', 'route', 'add', route, 'via', router, 'dev', 'uplink')
  }
}

/** The lab has one image of servers, which stands for all that the catalogue has. */
async function importImage(first: Member): Promise<void> {
  const mine = process.arch === 'arm64' ? 'arm' : 'x86'
  const aliases = images.filter(({ architecture }) => architecture === mine).map(({ id }) => `wolke-${id}`)
  await step(first, 'root/image', '/image/metadata.tar.xz', '/image/root.squashfs', ...aliases, 'wolke-balancer')
  // Every member has this one. Snapshots of tests live for seconds, and copies of them would take most of the time.
  await on(first, 'incus', 'config', 'set', 'cluster.images_minimal_replica=1')
}

function describe(name: string, folder: string, members: readonly Member[]): Lab {
  const tls = (file: string) => join(folder, 'tls', file)
  return {
    name,
    folder,
    members,
    incus: {
      socket: join(folder, 'h1/incus/unix.socket'),
      urls: members.map(({ address }) => `https://${address}:8443`),
      serverCertificate: join(folder, 'h1/incus/cluster.crt'),
      clientCertificate: tls('wolke.crt'),
      clientKey: tls('wolke.key'),
    },
    ovn: {
      northbound: `ssl:${addressOf(0)}:6641`,
      authority: tls('ca.crt'),
      certificate: tls('wolke.crt'),
      key: tls('wolke.key'),
    },
    names: { uplink: 'UPLINK', network: 'pub', pool: 'local' },
    pools,
    outside,
    metadata: { host: outside.ipv4, port: 8169 },
  }
}
