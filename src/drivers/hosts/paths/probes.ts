/**
 * Containers that try the ways between hosts: one on each, in the public network of servers, so that their packets go as
 * those of servers do. They have no image: their programs are those of the host, mounted read-only.
 */
import { DriverError } from '../../../kernel/actions/define.ts'
import type { Incus } from '../../../protocols/incus/client.ts'
import type { Config, Instance } from '../../../protocols/incus/edit.ts'
import { exec } from '../../../protocols/incus/exec.ts'
import type { ClusterOptions } from '../options.ts'
import { removeInstance } from '../servers/guest.ts'
import type { Ends, Size } from './ways.ts'

/** When a probe was made, in milliseconds since the epoch: what a check that was killed has left is known by its age. */
const mark = 'user.wolke.probe'
/** No check takes so long, in milliseconds. */
const oldMs = 600_000
/** A command in a probe may take so long, in milliseconds. */
const commandMs = 60_000
/** The headers of IPv4 and ICMP. */
const headerBytes = 28
/** Prints how many requests have arrived, which Linux counts in the ninth column of `Icmp:`. */
const countScript = "grep '^Icmp: [0-9]' /proc/net/snmp | cut -d ' ' -f 10"
/** Whoever asks nobody for addresses sends nothing that would need an answer. Prints the bytes of the largest packet. */
const setUpScript = `ip address replace "$1/16" dev eth0
shift
while [ $# -gt 0 ]; do ip neighbour replace "$1" lladdr "$2" dev eth0 nud permanent; shift 2; done
cat /sys/class/net/eth0/mtu`

export interface Probe {
  readonly name: string
  readonly member: string
  readonly mac: string
  /** An address that is good on the link alone, of which nobody but the probes knows. */
  readonly address: string
}

/** Plans one probe for each member. `id` is a number below 2 ** 24 that tells checks at the same time apart. */
export function planProbes(members: readonly string[], id: number): Probe[] {
  const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')
  return members.map((member, index) => ({
    name: `wolke-probe-${hex(id, 6)}-${index + 1}`,
    member,
    mac: `02${hex(id, 6)}${hex(index, 4)}`.match(/../g)!.join(':'),
    address: `169.254.${1 + (index >> 8)}.${index & 255}`,
  }))
}

/** Makes a probe that runs. Errors: `DriverError`; it may be there all the same. */
export async function makeProbe(
  incus: Incus,
  { pool, publicNetwork }: Pick<ClusterOptions, 'pool' | 'publicNetwork'>,
  { name, member, mac }: Probe,
): Promise<void> {
  const shared = (path: string): Config => ({ type: 'disk', source: path, path, readonly: 'true', required: 'false' })
  const instance = {
    name,
    type: 'container',
    profiles: [],
    source: { type: 'none' },
    config: {
      [mark]: String(Date.now()),
      'limits.memory': '64MiB',
      'raw.lxc': 'lxc.init.cmd=/usr/bin/sleep infinity',
    },
    devices: {
      root: { type: 'disk', path: '/', pool, size: '512MiB' },
      eth0: { type: 'nic', name: 'eth0', network: publicNetwork, hwaddr: mac },
      ...Object.fromEntries(['/usr', '/lib', '/lib64'].map((path) => [path.slice(1), shared(path)])),
    },
  }
  await incus.change('POST', '/1.0/instances', instance, { target: member })
  await incus.change('PUT', `/1.0/instances/${name}/state`, { action: 'start', timeout: -1 })
}

/** Removes a probe, whether or not it runs or is there. Errors: `DriverError`. */
export async function removeProbe(incus: Incus, name: string): Promise<void> {
  const path = `/1.0/instances/${name}`
  const found = await incus.get<Instance>(path)
  if (!found) return
  if (found.value.status !== 'Stopped') {
    await incus.change('PUT', `${path}/state`, { action: 'stop', force: true, timeout: -1 })
  }
  await removeInstance(incus, name)
}

/** Removes what checks have left that were killed. Errors: `DriverError`. */
export async function removeOldProbes(incus: Incus, now: number): Promise<void> {
  const all = await incus.list<Omit<Instance, 'config'> & { config: Config | null }>('/1.0/instances?recursion=1')
  const old = all.filter(({ config }) => Number(config?.[mark] ?? Number.NaN) < now - oldMs)
  for (const { name } of old) await removeProbe(incus, name)
}

/** The ends that probes are, and the bytes of the largest packet that all of them may send. */
export interface ProbedEnds extends Ends {
  readonly mtu: number
}

/** Lets running probes know each other. Errors: `DriverError`. */
export async function endsOf(incus: Incus, probes: readonly Probe[]): Promise<ProbedEnds> {
  const run = async ({ name, member }: Probe, command: readonly string[]) => {
    const { code, stdout, stderr } = await exec(incus, name, command, { timeoutMs: commandMs })
    if (code === 0) return stdout.trim()
    throw new DriverError(`${command[0]} failed on ${member}: ${stderr.trim()}`, { transient: true })
  }
  const known = probes.flatMap(({ address, mac }) => [address, mac])
  const mtus = await Promise.all(
    probes.map((probe) => run(probe, ['sh', '-euc', setUpScript, 'sh', probe.address, ...known])),
  )
  const bytesOf = (from: number, size: Size) => (size === 'whole' ? Number(mtus[from]) - headerBytes : headerBytes)
  return {
    count: probes.length,
    mtu: Math.min(...mtus.map(Number)),
    async send(from, to, size) {
      const ping = ['ping', '-q', '-c', '3', '-i', '0.2', '-W', '1', '-M', 'do', '-s', String(bytesOf(from, size))]
      // It says whether answers have come, which are packets on the way back.
      await exec(incus, probes[from]!.name, [...ping, probes[to]!.address], { timeoutMs: commandMs })
    },
    received: async (end) => Number(await run(probes[end]!, ['sh', '-euc', countScript])),
  }
}
