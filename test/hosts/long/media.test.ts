/** ISOs that the operator imports for virtual machines, which hosts without KVM can keep too. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Media } from '../../../src/drivers/hosts/images/media.ts'
import { openIncus } from '../../../src/drivers/hosts/open.ts'
import type { DriverError } from '../../../src/kernel/actions/define.ts'
import { runningClock } from '../../../src/kernel/process/clock.ts'
import { openLog } from '../../../src/kernel/process/log.ts'
import { Incus } from '../../../src/protocols/incus/client.ts'
import { clusterOf, theLab } from '../kit/cluster.ts'
import { onHost } from '../kit/guests.ts'
import { inLab } from '../kit/place.ts'

/** Imports a file as an ISO, as the operator does: on all hosts. */
async function importIso(t: TestContext, name: string): Promise<void> {
  const { members } = theLab()
  // Hosts of a lab lack a program of virtual machines by which Incus makes a file of a btrfs file system faster.
  for (const member of members) await onHost(member, 'ln', '-sf', '/bin/true', '/usr/local/bin/chattr')
  await onHost(members[0]!, 'truncate', '-s', '1M', '/tmp/iso')
  await onHost(members[0]!, 'sh', '/lab/host/iso.sh', '/tmp/iso', name)
  t.after(async () => {
    for (const member of members) await removeFrom(member.name, name)
  })
}

function removeFrom(member: string, name: string): Promise<string> {
  const { members, names } = theLab()
  return onHost(members[0]!, 'sh', '-c', `incus storage volume delete ${names.pool} ${name} --target=${member} || true`)
}

test('ISOs are found on the hosts that have them, and the rescue system makes a capability', inLab, async (t) => {
  const [first, second] = theLab().members
  const cluster = { ...clusterOf(theLab()), instanceType: 'virtual-machine' } as const
  const parts = { clock: runningClock(), log: openLog('silent'), directory: undefined, isLookedAt: true }
  const before = await openIncus(cluster, parts)
  t.after(() => before.close())
  const { rescue, iso, block_volumes: disks } = before.capabilities()
  assert.deepEqual({ rescue, iso, disks }, { rescue: false, iso: true, disks: true })

  await importIso(t, 'wolke-rescue')
  await importIso(t, 'wolke-iso-8637')
  await removeFrom(second!.name, 'wolke-iso-8637')
  const hosts = await openIncus(cluster, parts)
  t.after(() => hosts.close())
  assert.equal(hosts.capabilities().rescue, true)
  const found = await hosts.check([])
  const says = (what: string) => found.find((one) => one.what === what)?.says
  assert.equal(says('rescue system'), 'wolke-rescue on h1, h2, h3')
  assert.equal(says('ISOs'), 'wolke-iso-8637 on h1, h3')
  const { things, unmarked } = await hosts.inventory()
  const volumes = [...things, ...unmarked].filter(({ kind }) => kind === 'volume')
  assert.deepEqual(volumes, [], 'they are nothing that Wolke has lost')

  const incus = new Incus(cluster.incus)
  t.after(() => incus.close())
  const media = new Media({ incus, pool: cluster.pool, log: parts.log })
  await media.need({ iso: 8637, rescue: { sshKeys: [], rootPasswordHash: '' } }, first!.name)
  const isRefused = ({ message, code }: DriverError) =>
    message === `the host ${second!.name} does not have ISO 8637` && code === 'resource_unavailable'
  await assert.rejects(media.need({ iso: 8637, rescue: null }, second!.name), isRefused)
})
