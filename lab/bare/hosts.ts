/**
 * Bare hosts: machines with Debian as its installer leaves it, run by systemd, in a lab. Each has a layer of its own over the
 * same tree, eth0 with an address on a network of hosts, eth1 without one on an uplink, and a second disk, /dev/sdb.
 */
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { build } from '../build.ts'
import { makeHostGroup, removeHostGroup } from '../cgroups.ts'
import { output, outputWithin } from '../commands.ts'
import { connect, firstProcess, namespaces, on } from '../hosts.ts'
import { joining, type Member, onMember } from '../lab.ts'
import { serveArchive } from './archive.ts'
import { type BareParts, type BareRelease, buildBare } from './build.ts'

const here = import.meta.dirname
const memory = 3 * 1024 ** 3
/** The longest time for a script on a host, in milliseconds. */
const patienceMs = 600_000
/** The address of this side on the network of the hosts, where apt finds its archive. */
export const gateway = '10.98.0.254'
/** The addresses of this side on the uplink. */
export const router = { ipv4: '203.0.113.1', ipv6: '2001:db8:fe::1' }
const archivePort = 3142
const networks = ['bare', 'bareup'] as const

export interface BareOptions {
  readonly release?: BareRelease
  /** 1 when the only interface is the uplink as well; 2 by default. */
  readonly interfaces?: 1 | 2
  /** The size of /dev/sdb in bytes; 8 GiB by default. */
  readonly disk?: number
}

/** A bare host. What `member` returns is of the last boot. */
export interface BareHost {
  readonly name: string
  readonly address: string
  /** Its file system, a folder of the lab. */
  readonly root: string
  member(): Member
  /** The output of a script of sh on it. Errors: one with what it said when it does not end with 0. */
  exec(script: string): Promise<string>
  /** Takes its power away and lets it boot, until systemd has started what it is to start. */
  reboot(): Promise<void>
}

export interface BareHosts {
  readonly hosts: readonly BareHost[]
  end(): Promise<void>
}

/** Starts hosts in the namespaces of a lab, once at a time. Their folders are within `folder`. */
export async function startBareHosts(
  lab: string,
  folder: string,
  count: number,
  { release = 'bookworm', interfaces = 2, disk = 8 * 1024 ** 3 }: BareOptions = {},
): Promise<BareHosts> {
  const parts = await buildBare(release)
  const { image } = await build()
  await using endings = new AsyncDisposableStack()
  await makeNetworks(endings)
  const archive = await serveArchive(parts.archive, { host: gateway, port: archivePort })
  endings.defer(() => archive.close())
  const plans = Array.from({ length: count }, (_, index) => ({
    ...{ lab, parts, image, interfaces, disk },
    name: `b${index + 1}`,
    address: `10.98.0.${index + 1}`,
    folder: join(folder, `b${index + 1}`),
  }))
  const hosts = await Promise.all(plans.map((plan) => makeHost(plan, endings)))
  const owned = endings.move()
  return { hosts, end: () => owned.disposeAsync() }
}

/** Who looks for a way out finds a proxy, as on many machines. */
const environment = ['env', `http_proxy=http://${gateway}:${archivePort}`, 'no_proxy=localhost,127.0.0.1,::1']

async function makeNetworks(endings: AsyncDisposableStack): Promise<void> {
  for (const bridge of networks) {
    await output('ip', 'link', 'add', bridge, 'type', 'bridge')
    endings.defer(async () => {
      await output('ip', 'link', 'delete', bridge)
    })
    await output('ip', 'link', 'set', bridge, 'up')
    await output('ethtool', '-K', bridge, 'tx', 'off')
  }
  await output('ip', 'address', 'add', `${gateway}/24`, 'dev', networks[0])
  await output('ip', 'address', 'add', `${router.ipv4}/24`, 'dev', networks[1])
  await output('ip', 'address', 'add', `${router.ipv6}/64`, 'dev', networks[1], 'nodad')
}

interface Plan {
  readonly lab: string
  readonly parts: BareParts
  readonly image: string
  readonly interfaces: 1 | 2
  readonly disk: number
  readonly name: string
  readonly address: string
  readonly folder: string
}

async function makeHost(plan: Plan, endings: AsyncDisposableStack): Promise<BareHost> {
  const { name, address, folder } = plan
  const [layer, work, root, disk] = ['layer', 'work', 'root', 'disk'].map((part) => join(folder, part)) as [
    string,
    ...string[],
  ] as [string, string, string, string]
  for (const path of [layer, work, root]) mkdirSync(path, { recursive: true })
  endings.defer(() => rmSync(folder, { recursive: true, force: true, maxRetries: 100 }))
  writeFileSync(disk, '')
  truncateSync(disk, plan.disk)
  const loop = (await output('losetup', '--find', '--show', disk)).trim()
  // It is detached when nobody has it open any longer, however this process ends.
  const held = openSync(loop, 'r')
  endings.defer(() => closeSync(held))
  await output('losetup', '--detach', loop)
  await output(
    'mount',
    '-t',
    'overlay',
    'overlay',
    '-o',
    `lowerdir=${plan.parts.tree},upperdir=${layer},workdir=${work}`,
    root,
  )
  endings.defer(async () => {
    await output('umount', root)
  })
  configure(root, plan)
  const cgroups = makeHostGroup(plan.lab, name, memory)
  endings.defer(() => removeHostGroup(plan.lab, name))

  let member = await boot(plan, root, loop, cgroups)
  endings.defer(() => cutPower(member, plan))
  return {
    ...{ name, address, root },
    member: () => member,
    exec: (script) => outputWithin(patienceMs, ...onMember(member, [...environment, 'sh', '-euc', script])),
    async reboot() {
      await cutPower(member, plan)
      member = await boot(plan, root, loop, cgroups)
    },
  }
}

/** Writes what an installer asks for, and what is the lab's own. */
function configure(root: string, { name, address }: Plan): void {
  const write = (path: string, text: string) => writeFileSync(join(root, path), text)
  write('etc/hostname', `${name}\n`)
  write('etc/hosts', `127.0.0.1\tlocalhost\n127.0.1.1\t${name}\n::1\tlocalhost ip6-localhost ip6-loopback\n`)
  appendFileSync(
    join(root, 'etc/network/interfaces'),
    `
auto lo
iface lo inet loopback

auto eth0
iface eth0 inet static
  address ${address}/24
  gateway ${gateway}
`,
  )
  write(
    'etc/apt/apt.conf.d/99lab',
    `Acquire::http::Proxy "http://${gateway}:${archivePort}";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
DPkg::Options:: "--force-unsafe-io";
`,
  )
  cpSync(join(here, 'kernel'), root, { recursive: true })
}

async function boot(plan: Plan, root: string, loop: string, cgroups: readonly string[]): Promise<Member> {
  const devices = Array.from({ length: plan.interfaces }, (_, index) => `eth${index}`)
  const init = ['bash', join(here, 'init.sh'), plan.name, root, loop, plan.image, ...devices]
  // It ends with this process, however that ends.
  const alone = ['setpriv', '--pdeathsig', 'KILL', ...namespaces] as const
  const pid = await firstProcess([...alone, ...joining(cgroups), 'unshare', '--cgroup', ...init])
  const member = { name: plan.name, address: plan.address, pid, cgroups }
  try {
    for (const [index, device] of devices.entries()) {
      await connect(plan.name, pid, device, networks[index]!)
      await output('nsenter', '-t', `${pid}`, '-n', 'ethtool', '-K', device, 'tx', 'off')
    }
    await on(member, 'sh', '-c', 'until [ -S /run/systemd/private ]; do sleep 0.05; done')
    await on(member, 'sh', '-c', 'systemctl is-system-running --wait >/dev/null || true')
  } catch (error) {
    await cutPower(member, plan)
    throw error
  }
  return member
}

/** Ends all processes of a host at once, with what only memory holds. */
async function cutPower({ pid, name }: Member, plan: Plan): Promise<void> {
  if (!existsSync(`/proc/${pid}`)) return
  // It ends the first process, and with that all others.
  const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]!
  process.kill(Number(parent), 'SIGKILL')
  while (existsSync(`/proc/${pid}`)) await delay(20)
  // The network of a host goes some time after its last process; the next one has links of the same names.
  const links = Array.from({ length: plan.interfaces }, (_, index) => `${name}-eth${index}`)
  const there = (await output('ip', '-oneline', 'link')).split('\n').map((line) => line.split(/[ @:]+/)[1])
  const left = links.filter((link) => there.includes(link))
  for (const link of left) await output('sh', '-c', 'ip link delete "$1" || ! ip link show "$1"', 'sh', link)
}
