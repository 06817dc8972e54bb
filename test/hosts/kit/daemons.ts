/** What happens to the hosts of a lab: daemons that die, hosts that stand still or lose their power, and ways that are cut. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startNetwork, step } from '../../../lab/hosts.ts'
import type { Member } from '../../../lab/lab.ts'
import { theLab } from './cluster.ts'
import { onHost, output } from './guests.ts'

/** Kills a daemon without its having a say, by the file with its process id. */
export async function killDaemon(member: Member, pidFile: string): Promise<void> {
  await onHost(member, 'sh', '-euc', 'kill -9 "$(cat "$1")"', 'sh', pidFile)
}

/** Starts a service again, as systemd would. */
export async function restart(member: Member, service: string): Promise<void> {
  await onHost(member, 'systemctl', 'restart', service)
}

/** Takes the power of a host away: what its disks have is all that is left of it. */
export async function cutPower(member: Member): Promise<void> {
  await step(member, 'root/crash')
}

/** Lets a host without power boot, until its daemons answer. */
export async function powerUp(member: Member): Promise<void> {
  await startNetwork(member, theLab().members[0]!)
  await restart(member, 'incus')
}

/** Lets no process of a host do anything until it is thawed. */
export const freeze = (member: Member) => setFrozen(member, true)
export const thaw = (member: Member) => setFrozen(member, false)

function setFrozen({ name, cgroups }: Member, isFrozen: boolean): void {
  // Control groups of version 1 have a controller for it, those of version 2 a file each.
  const files = cgroups.flatMap((folder) => [
    { path: join(folder, 'freezer.state'), text: isFrozen ? 'FROZEN' : 'THAWED' },
    { path: join(folder, 'cgroup.freeze'), text: isFrozen ? '1' : '0' },
  ])
  const present = files.filter(({ path }) => existsSync(path))
  if (present.length === 0) throw new Error(`${name} cannot be frozen: none of its control groups can`)
  for (const { path, text } of present) writeFileSync(path, text)
}

/** Lets nothing through the tunnel from one host to another, but all the way back. Returns what heals it. */
export async function cutWay(from: Member, to: Member): Promise<() => Promise<void>> {
  // The hosts have the program; the network between them is that of the lab itself.
  const nft = (text: string) => output(['nsenter', '-t', `${from.pid}`, '-m', '--', 'nft', text])
  const tunnel = `ip saddr ${from.address} ip daddr ${to.address} udp dport 6081`
  await nft(`table bridge cut { chain ways { type filter hook forward priority 0; ${tunnel} drop; }; }`)
  return async () => {
    await nft('delete table bridge cut')
  }
}
