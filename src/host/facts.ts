/** What a machine says of itself. */
import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { hostname } from 'node:os'
import type { Shell } from './shell.ts'

const gibibyte = 1_024 ** 3

/** An interface with its IPv4 address on the network between the hosts. */
export interface Underlay {
  readonly device: string
  readonly address: string
  readonly mtu: number
}

export interface Facts {
  /** The code name of the release of Debian, such as `bookworm`; that of another system is empty. */
  readonly release: string
  readonly architecture: string
  readonly name: string
  /** The name with its domain, when it leads to this machine. */
  readonly publicName: string | undefined
  /** The interface with the default route; undefined without one. */
  readonly underlay: Underlay | undefined
  /** Interfaces with a link to elsewhere that have no address. */
  readonly bare: readonly string[]
  /** IPv4 networks that the machine has routes to. */
  readonly networks: readonly string[]
  /** Disks and partitions without anything on them, the largest first. */
  readonly disks: readonly string[]
  /** Free bytes where files of pools are. */
  readonly freeBytes: number
  readonly memoryBytes: number
  readonly hasKvm: boolean
  readonly nameServers: readonly string[]
}

/** Looks at the machine. */
export async function findFacts(shell: Shell): Promise<Facts> {
  const [links, routes] = await Promise.all([linksOf(shell), routesOf(shell)])
  const underlay = underlayOf(links, routes)
  return {
    ...systemOf(),
    architecture: await shell.output('dpkg', '--print-architecture'),
    publicName: await publicNameOf(shell, links),
    underlay,
    bare: links.filter((link) => isBare(link)).map(({ ifname }) => ifname),
    networks: routes.map(({ dst }) => dst).filter((dst) => dst !== 'default'),
    disks: await disksOf(shell),
    freeBytes: freeBytesAt('/var/lib'),
    memoryBytes: Number(/^MemTotal: +(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'))![1]) * 1_024,
    hasKvm: await shell.succeeds('sh', '-c', '[ -c /dev/kvm ] && : <>/dev/kvm'),
    nameServers: nameServersOf(),
  }
}

function systemOf(): Pick<Facts, 'release' | 'name'> {
  const text = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  const value = (key: string) => new RegExp(`^${key}="?([^"\n]*)"?$`, 'm').exec(text)?.[1] ?? ''
  return { release: value('ID') === 'debian' ? value('VERSION_CODENAME') : '', name: hostname().split('.')[0]! }
}

interface Link {
  readonly ifname: string
  readonly mtu: number
  readonly link_type: string
  readonly linkinfo?: { readonly info_kind?: string }
  readonly addr_info: readonly { readonly family: string; readonly local: string; readonly scope: string }[]
}

const linksOf = async (shell: Shell) =>
  JSON.parse(await shell.output('ip', '-json', '-details', 'address')) as readonly Link[]

interface KernelRoute {
  readonly dst: string
  readonly dev: string
  readonly prefsrc?: string
  readonly metric?: number
}

const routesOf = async (shell: Shell) =>
  JSON.parse((await shell.output('ip', '-json', '-4', 'route')) || '[]') as readonly KernelRoute[]

function underlayOf(links: readonly Link[], routes: readonly KernelRoute[]): Underlay | undefined {
  const defaults = routes.filter(({ dst }) => dst === 'default').sort((a, b) => (a.metric ?? 0) - (b.metric ?? 0))
  const route = defaults[0]
  const link = links.find(({ ifname }) => ifname === route?.dev)
  const address = route?.prefsrc ?? link?.addr_info.find(({ family }) => family === 'inet')?.local
  return link && address !== undefined ? { device: link.ifname, address, mtu: link.mtu } : undefined
}

/** The address and the size of packets of an interface that the operator names. */
export async function underlayAt(shell: Shell, device: string): Promise<Underlay | undefined> {
  const link = (await linksOf(shell)).find(({ ifname }) => ifname === device)
  const address = link?.addr_info.find(({ family }) => family === 'inet')?.local
  return link && address !== undefined ? { device, address, mtu: link.mtu } : undefined
}

/** An interface that Open vSwitch or Incus has made belongs to nobody else. */
const isBare = ({ ifname, link_type, linkinfo, addr_info }: Link) =>
  link_type === 'ether' &&
  !/^(br-|ovs-|veth)/.test(ifname) &&
  !['bridge', 'openvswitch', 'tun', 'dummy'].includes(linkinfo?.info_kind ?? '') &&
  addr_info.every(({ scope }) => scope === 'link')

async function publicNameOf(shell: Shell, links: readonly Link[]): Promise<string | undefined> {
  const { code, stdout } = await shell.run('hostname', '--fqdn')
  const name = stdout.trim()
  if (code !== 0 || !name.includes('.')) return undefined
  const found = (await shell.run('getent', 'ahosts', name)).stdout.split('\n').map((line) => line.split(' ')[0])
  const own = links.flatMap(({ addr_info }) => addr_info.filter(({ scope }) => scope === 'global'))
  return own.some(({ local }) => found.includes(local)) ? name : undefined
}

interface Disk {
  readonly name: string
  readonly type: string
  readonly size: number
  readonly ro: boolean
  readonly rm: boolean
  readonly fstype: string | null
  readonly pttype: string | null
  readonly mountpoints: readonly (string | null)[]
  readonly children?: readonly Disk[]
}

/** The smallest disk that is worth a pool, in bytes. */
const leastDisk = 5 * gibibyte

/** What has data keeps it: a table of partitions, a signature or a mount make a disk one that is used. */
async function disksOf(shell: Shell): Promise<string[]> {
  const columns = 'NAME,TYPE,SIZE,RO,RM,FSTYPE,PTTYPE,MOUNTPOINTS'
  const { code, stdout } = await shell.run('lsblk', '--json', '--bytes', '--paths', '--output', columns)
  if (code !== 0) return []
  const { blockdevices } = JSON.parse(stdout) as { readonly blockdevices: readonly Disk[] }
  const all = blockdevices.flatMap((disk) => [disk, ...(disk.children ?? [])])
  const isFree = ({ type, size, ro, rm, fstype, pttype, mountpoints, children = [] }: Disk) =>
    ['disk', 'part'].includes(type) &&
    size >= leastDisk &&
    !ro &&
    !rm &&
    fstype === null &&
    (type === 'part' || pttype === null) &&
    mountpoints.every((at) => at === null) &&
    children.length === 0
  const free = all.filter(isFree).sort((a, b) => b.size - a.size)
  const sure = await Promise.all(free.map(({ name }) => isEmpty(shell, name)))
  return free.filter((_, at) => sure[at]).map(({ name }) => name)
}

/** True for a device without any signature, whoever asks. */
export async function isEmpty(shell: Shell, device: string): Promise<boolean> {
  const [wiped, probed] = await Promise.all([
    shell.run('wipefs', '--no-act', '--noheadings', device),
    shell.run('blkid', '--probe', device),
  ])
  // The code of `blkid` for a device on which it finds nothing is 2.
  return wiped.code === 0 && wiped.stdout.trim() === '' && probed.code === 2
}

function freeBytesAt(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/** Those that servers can ask too: none that only this machine has. */
function nameServersOf(): string[] {
  const files = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'].filter((path) => existsSync(path))
  const found = files.flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/^nameserver\s+([\d.]+)\s*$/gm)])
  return [...new Set(found.map(([, address]) => address!))].filter((address) => !address.startsWith('127.')).slice(0, 3)
}
