/** Volumes on hosts, through their driver alone: what is on them is kept, and what comes late changes nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { volumeName } from '../../../src/drivers/hosts/names.ts'
import type { StoredVolume } from '../../../src/drivers/hosts/volumes/volumes.ts'
import type { Incus } from '../../../src/protocols/incus/client.ts'
import { until } from '../../kit/database/bare-database.ts'
import { theLab } from '../kit/cluster.ts'
import { labHosts, newId, Servers } from '../kit/drivers.ts'
import { inLab } from '../kit/place.ts'

const location = 1
const attached = (...ids: readonly number[]) => ids.map((id) => ({ id, automount: true }))

/** All volumes in the lab with the name of one, on whichever hosts. */
async function volumesOf(incus: Incus, id: number): Promise<readonly StoredVolume[]> {
  const all = await incus.list<StoredVolume>(`/1.0/storage-pools/${theLab().names.pool}/volumes/custom?recursion=1`)
  return all.filter(({ name }) => name === volumeName(id))
}

test('a volume keeps its data from host to host, while it grows, and without a server', inLab, async () => {
  const hosts = await labHosts()
  const { volumes } = hosts.machines
  const servers = new Servers(hosts)
  const [one, other, id] = [newId(), newId(), newId()]
  const file = `/mnt/HC_Volume_${id}/file`
  await servers.run(one, other)
  assert.notEqual(await servers.hostOf(one), await servers.hostOf(other))
  try {
    await volumes.apply({ id, location, generation: 1, sizeGb: 10, format: 'ext4' })
    await volumes.attach({ serverId: one, location, generation: 1, volumes: attached(id) })
    await servers.tell(one, `echo kept > ${file}`)

    await volumes.attach({ serverId: one, location, generation: 2, volumes: [] })
    assert.equal(await servers.tell(one, `cat ${file}`), undefined)
    await volumes.attach({ serverId: other, location, generation: 1, volumes: attached(id) })
    assert.equal(await servers.tell(other, `cat ${file}`), 'kept')

    await volumes.apply({ id, location, generation: 2, sizeGb: 20, format: 'ext4' })
    const [grown, ...others] = await volumesOf(hosts.incus, id)
    assert.deepEqual([grown?.config.size, others.length], ['20GiB', 0])
    assert.equal(await servers.tell(other, `cat ${file}`), 'kept')

    // The set of a server that comes late takes the volume from nobody.
    await volumes.attach({ serverId: one, location, generation: 1, volumes: attached(id) })
    assert.equal(await servers.tell(other, `cat ${file}`), 'kept')

    await servers.remove(other)
    await volumes.attach({ serverId: one, location, generation: 3, volumes: attached(id) })
    assert.equal(await servers.tell(one, `cat ${file}`), 'kept')
  } finally {
    await volumes.remove(id, 3)
    await servers.remove(one, other)
  }
  assert.deepEqual(await volumesOf(hosts.incus, id), [])
})

test(
  'a volume that was removed stays so until a newer generation, and one that was lost is made again',
  inLab,
  async () => {
    const { incus, machines } = await labHosts()
    const { volumes } = machines
    const id = newId()
    const put = (generation: number) => volumes.apply({ id, location, generation, sizeGb: 10, format: null })
    await put(2)
    await volumes.remove(id, 1)
    assert.equal((await volumesOf(incus, id)).length, 1, 'an older removal comes too late')

    await volumes.remove(id, 3)
    await put(2)
    await put(3)
    assert.deepEqual(await volumesOf(incus, id), [])
    await put(4)
    const [made] = await volumesOf(incus, id)

    const pool = `/1.0/storage-pools/${theLab().names.pool}/volumes/custom`
    await incus.change('DELETE', `${pool}/${volumeName(id)}?target=${made!.location}`)
    await put(4)
    assert.equal((await volumesOf(incus, id)).length, 1, 'what was lost is there again')
    await volumes.remove(id, 5)
  },
)

test('a move that was cut off when the copy was made begins anew', inLab, async () => {
  const hosts = await labHosts()
  const { incus, machines } = hosts
  const servers = new Servers(hosts)
  const [server, id] = [newId(), newId()]
  await servers.apply(server)
  try {
    await machines.volumes.apply({ id, location, generation: 1, sizeGb: 10, format: null })
    const [first] = await volumesOf(incus, id)
    const to = theLab().members.find(({ name }) => name !== first!.location)!.name
    const pool = theLab().names.pool
    const source = { type: 'copy', name: volumeName(id), pool, location: first!.location }
    const config = { ...first!.config, 'user.wolke.destination': to }
    const copy = { name: volumeName(id), type: 'custom', config, source }
    await incus.change('POST', `/1.0/storage-pools/${pool}/volumes/custom`, copy, { target: to })
    assert.equal((await volumesOf(incus, id)).length, 2)

    await machines.volumes.attach({ serverId: server, location, generation: 1, volumes: attached(id) })
    const left = await volumesOf(incus, id)
    assert.deepEqual(
      left.map((volume) => volume.location),
      [await servers.hostOf(server)],
    )
  } finally {
    await machines.volumes.remove(id, 2)
    await servers.remove(server)
  }
  await until(async () => (await volumesOf(incus, id)).length === 0, 'nothing of it is left')
})
