/** Servers on hosts, through their driver alone: each change happens once, and what comes late changes nothing. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serverName } from '../../../src/drivers/hosts/names.ts'
import { instanceOf } from '../../../src/drivers/hosts/servers/guest.ts'
import type { ServerState } from '../../../src/families/servers/driver.ts'
import type { DriverError } from '../../../src/kernel/actions/define.ts'
import { editInstance } from '../../../src/protocols/incus/edit.ts'
import { until } from '../../kit/database/bare-database.ts'
import { persist } from '../../kit/samples/transient.ts'
import { isLong } from '../../run/long.ts'
import { theLab } from '../kit/cluster.ts'
import { killDaemon, restart } from '../kit/daemons.ts'
import { type LabHosts, labHosts, newId, Servers } from '../kit/drivers.ts'
import { inLab } from '../kit/place.ts'

/** Holds something of servers of its own, of which nothing is left. */
function onServers(promise: string, hold: (servers: Servers, hosts: LabHosts, id: number) => Promise<void>): void {
  test(promise, inLab, async () => {
    const hosts = await labHosts()
    const servers = new Servers(hosts)
    const id = newId()
    try {
      await hold(servers, hosts, id)
    } finally {
      await servers.remove(id)
    }
    assert.equal(await instanceOf(hosts.incus, id), undefined)
  })
}

const bootOf = (servers: Servers, id: number) => servers.tell(id, 'cat /proc/sys/kernel/random/boot_id')
/** The passwords of root, in the form of the file of a system. */
const [first, second] = ['first', 'second'].map((salt) => `$6$${salt}$${'a'.repeat(86)}`) as [string, string]

onServers('a restart and a new password happen once, whoever asks again', async (servers, _hosts, id) => {
  const on = { power: 'on', rootPasswordHash: first } as const
  const shadowOf = () => servers.tell(id, 'sed -n s/^root:\\\\\\([^:]*\\\\\\).*/\\\\1/p /etc/shadow')
  await servers.apply(id, on)
  await servers.isUp(id)
  await until(async () => (await shadowOf()) === first, 'the system has its first password')

  const before = await bootOf(servers, id)
  await servers.apply(id, { ...on, cycle: 2, manner: 'guest' })
  await servers.isUp(id)
  const after = await bootOf(servers, id)
  assert.notEqual(after, before)

  const reset = { ...on, cycle: 2, rootPasswordHash: second, passwordReset: 3 }
  await servers.apply(id, reset)
  assert.equal(await shadowOf(), second)
  await servers.tell(id, 'passwd --lock root')
  await servers.apply(id, reset)
  assert.notEqual(await shadowOf(), second, 'a repetition leaves to the guest what it did since')
  assert.equal(await bootOf(servers, id), after)
})

onServers('a server without power takes its new addresses and sizes to its next boot', async (servers, _hosts, id) => {
  const told = () =>
    servers.tell(id, 'ip -oneline address show dev eth0 scope global | tr -s " " | cut -d " " -f 4 | sort')
  await servers.apply(id, { power: 'on', ipv4: '198.18.3.1', ipv6: '2001:db8:103:1::/64' })
  await until(async () => (await told()) === '198.18.3.1/32\n2001:db8:103:1::1/64', 'it has its addresses')
  // It knows who it is, and its first boot has not ended.
  const begun = 'test -e /var/lib/cloud/instance/datasource && echo yes'
  await until(async () => (await servers.tell(id, begun)) === 'yes', 'cloud-init has begun')
  await servers.apply(id, { power: 'off', ipv4: '198.18.3.1' })
  await servers.apply(id, { power: 'on', ipv4: '198.18.3.2', memoryMb: 768 })
  await until(async () => (await told()) === '198.18.3.2/32', 'it has its other address alone')
  assert.equal(await servers.tell(id, 'sed -n "s/^MemTotal: *//p" /proc/meminfo'), `${768 * 1024} kB`)
})

onServers('a late call, a removed server and a lost one', async (servers, { incus, machines }, id) => {
  const apply = (generation: number, power: 'on' | 'off') =>
    machines.servers.apply({ ...servers.plain(id), generation, power })
  await apply(5, 'off')
  await apply(4, 'on')
  assert.equal((await instanceOf(incus, id))?.status, 'Stopped', 'an older generation comes too late')
  await machines.servers.remove(id, 4, null)
  assert.ok(await instanceOf(incus, id), 'and so does an older removal')

  await incus.change('DELETE', `/1.0/instances/${serverName(id)}`)
  await apply(5, 'off')
  assert.ok(await instanceOf(incus, id), 'what was lost is made again')

  await machines.servers.remove(id, 6, null)
  await machines.servers.remove(id, 6, null)
  await apply(6, 'on')
  await apply(5, 'on')
  assert.equal(await instanceOf(incus, id), undefined, 'what was removed stays removed')
  await apply(7, 'off')
  assert.ok(await instanceOf(incus, id), 'until a newer generation wants it')
  servers.skipTo(id, 8)
})

onServers('two processes that want the same at once make it once', async (servers, hosts, id) => {
  const state: ServerState = { ...servers.plain(id), generation: servers.next(id), power: 'on' }
  const apply = () => persist(() => hosts.machines.servers.apply(state))
  await Promise.all([apply(), apply()])
  await servers.isUp(id)
  assert.equal((await instanceOf(hosts.incus, id))?.status, 'Running')
})

onServers('what has the name of a server but is not Wolke’s stays as it is', async (servers, { incus }, id) => {
  await servers.apply(id)
  const name = serverName(id)
  const mark = (mine: string) =>
    editInstance(incus, name, ({ config }) => ({ config: { ...config, 'user.wolke.id': mine } }))
  await mark('')
  const isForeign = { message: `the hosts have an instance ${name} that is not Wolke's`, transient: false }
  await assert.rejects(servers.apply(id, { power: 'on' }), isForeign)
  await assert.rejects(servers.remove(id), isForeign)
  assert.equal((await instanceOf(incus, id))?.status, 'Stopped')
  await mark(String(id))
})

const joinsGroup = async (servers: Servers, _hosts: LabHosts, id: number) => {
  const [other, ...large] = [newId(), newId(), newId()]
  const placementGroup = newId()
  try {
    await servers.apply(other, { placementGroup })
    // What is promised on the other hosts leaves this one to it.
    for (const one of large) await servers.apply(one, { placementGroup, memoryMb: 8_192 })
    await servers.apply(id)
    assert.equal(await servers.hostOf(id), await servers.hostOf(other))
    await servers.remove(large[0]!)
    await servers.apply(id, { placementGroup, power: 'on', userData: '#cloud-config\nruncmd: [[touch, /root/ran]]\n' })
    const taken = [await servers.hostOf(other), await servers.hostOf(large[1]!)]
    assert.ok(!taken.includes(await servers.hostOf(id)), 'it has a host of its own')
    await until(async () => (await servers.tell(id, 'cat /root/ran')) === '', 'it does its first work there')
  } finally {
    await servers.remove(other, ...large)
  }
}
// A disk that moves takes long.
if (isLong) onServers('a server that joined a placement group boots on its own host', joinsGroup)

onServers('a host that is gone is told apart from a call that failed', async (servers, { incus }, id) => {
  const [first] = theLab().members
  const placementGroup = newId()
  const others = [newId(), newId()]
  const isOffline = async (name: string) => {
    const member = await incus.get<{ status: string }>(`/1.0/cluster/members/${name}`)
    return member?.value.status === 'Offline'
  }
  try {
    for (const one of [id, ...others]) await servers.apply(one, { placementGroup })
    const hosts = new Map(
      await Promise.all([id, ...others].map(async (one) => [one, await servers.hostOf(one)] as const)),
    )
    // The first member is the one that is asked.
    const [elsewhere, name] = [...hosts].find(([, host]) => host !== first!.name)!
    const host = theLab().members.find((member) => member.name === name)!
    await killDaemon(host, '/run/incus.pid')
    try {
      await until(() => isOffline(host.name), `the cluster misses ${host.name}`)
      const isGone = { message: `the host ${name} is gone`, transient: true }
      await assert.rejects(servers.apply(elsewhere, { placementGroup, power: 'on' }), isGone)
    } finally {
      await restart(host, 'incus')
    }
    // It answers before it is ready, and what fails until then is tried again.
    await until(async () => {
      const failure = await servers
        .apply(elsewhere, { placementGroup, power: 'on' })
        .catch((error: DriverError) => error)
      if (failure && !failure.transient) throw failure
      return !failure
    }, `${host.name} takes changes again`)
    await servers.isUp(elsewhere)
  } finally {
    await servers.remove(...others)
  }
})
