/** The hosts of a lab: namespaces over a layer of their own, control groups, and links to two networks. */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { makeHostGroup } from './cgroups.ts'
import { output } from './commands.ts'
import { joining, type Member, onMember } from './lab.ts'

const here = import.meta.dirname
/** The memory that all processes of a host may use together, in bytes. */
const memory = 3 * 1024 ** 3

/**
 * The parts of a host: the lab's name and folder, the file system of hosts, the folder with the image, the host's name
 * and address.
 */
export interface HostPlan {
  readonly lab: string
  readonly folder: string
  readonly root: string
  readonly image: string
  readonly name: string
  readonly address: string
}

/** Starts a host whose keys are in the lab's folder. It ends with this process's namespace. */
export async function startHost({ lab, folder, root, image, name, address }: HostPlan): Promise<Member> {
  const own = join(folder, name)
  const [layer, work, merged, data] = ['layer', 'work', 'root', 'incus'].map((part) => join(own, part))
  for (const path of [layer, work, merged, data]) mkdirSync(path!, { recursive: true })
  const options = `lowerdir=${root},upperdir=${layer},workdir=${work}`
  await output('mount', '-t', 'overlay', 'overlay', '-o', options, merged!)
  const keys = join(merged!, 'etc/ovn')
  cpSync(join(folder, 'tls/ca.crt'), join(keys, 'ca.crt'))
  cpSync(join(here, 'root/systemctl'), join(merged!, 'usr/local/sbin/systemctl'))
  for (const end of ['crt', 'key']) cpSync(join(folder, `tls/${name}.${end}`), join(keys, `host.${end}`))

  const cgroups = makeHostGroup(lab, name, memory)
  const init = ['bash', join(here, 'root/init.sh'), name, merged!, here, image, data!]
  // Only what is in the new namespaces may be in its groups: init.sh empties them for groups within.
  const pid = await firstProcess([...namespaces, ...joining(cgroups), 'unshare', '--cgroup', ...init])
  for (const [index, network] of ['hosts', 'uplink'].entries()) await connect(name, pid, `eth${index}`, network)
  return { name, address, pid, cgroups }
}

export const namespaces = ['unshare', '--mount', '--pid', '--net', '--uts', '--ipc', '--fork', '--kill-child'] as const

/** The process that is the first of new namespaces, once it says that it is ready. */
export async function firstProcess([command, ...args]: readonly [string, ...string[]]): Promise<number> {
  const parent = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: parent.stdout })) if (line === 'ready') break
  const children = readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8')
  parent.stdout.destroy()
  parent.unref()
  if (!(Number(children) > 0)) throw new Error(`The host did not start: ${args.join(' ')}`)
  return Number(children)
}

/** Links an interface of a host to a network of the lab. Tunnels between hosts carry whole packets of servers. */
export async function connect(name: string, pid: number, device: string, network: string): Promise<void> {
  const mtu = network === 'hosts' ? '1600' : '1500'
  const link = `${name}-${device}`
  const peer = ['peer', 'name', device, 'mtu', mtu, 'netns', `${pid}`]
  await output('ip', 'link', 'add', link, 'mtu', mtu, 'type', 'veth', ...peer)
  await output('ip', 'link', 'set', link, 'master', network, 'up')
}

/** Returns the output of a command on a member. */
export function on(member: Member, ...command: readonly string[]): Promise<string> {
  return output(...onMember(member, command))
}

/** Returns the output of a step in `lab/host` or `lab/root` on a member. */
export function step(member: Member, script: string, ...args: readonly string[]): Promise<string> {
  return on(member, 'sh', `/lab/${script}.sh`, ...args)
}

/**
 * Starts what hosts need for networks, at the first boot of a member as at all others. `central` is the one with the
 * databases of OVN.
 */
export async function startNetwork(member: Member, central: Member): Promise<void> {
  await step(member, 'root/underlay', member.address)
  if (member.name === central.name) await step(member, 'host/central')
  await step(member, 'host/network', member.name, member.address, central.address, 'eth1')
  await step(member, 'root/conntrack')
}
