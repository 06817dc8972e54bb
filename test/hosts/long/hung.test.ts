/** A server of which its host does not know whether it runs, as what holds its container hangs: Incus says so after seconds. */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { serverName } from '../../../src/drivers/hosts/names.ts'
import { instanceOf } from '../../../src/drivers/hosts/servers/guest.ts'
import { theLab } from '../kit/cluster.ts'
import { labHosts, newId, Servers } from '../kit/drivers.ts'
import { onHost } from '../kit/guests.ts'
import { inLab } from '../kit/place.ts'

test('nobody is told that a server runs, or does not, while its host does not know', inLab, async () => {
  const hosts = await labHosts()
  const servers = new Servers(hosts)
  const id = newId()
  await servers.run(id)
  const name = await servers.hostOf(id)
  const host = theLab().members.find((member) => member.name === name)!
  /** The pattern is not its own command line. */
  const signal = (which: 'STOP' | 'CONT') =>
    onHost(host, 'pkill', `-${which}`, '--full', `^.lxc monitor. .* ${serverName(id)}$`)
  const apply = (power: 'on' | 'off') =>
    hosts.machines.servers.apply({ ...servers.plain(id), power, generation: servers.next(id) })
  const isUnknown = { message: 'the host of the server does not know whether it runs', transient: true }
  after(() => servers.remove(id))
  await signal('STOP')
  try {
    await assert.rejects(apply('on'), isUnknown)
    await assert.rejects(apply('off'), isUnknown)
    assert.equal((await instanceOf(hosts.incus, id))?.status, 'Error')
  } finally {
    await signal('CONT')
  }
  await apply('off')
  assert.equal((await instanceOf(hosts.incus, id))?.status, 'Stopped')
})
