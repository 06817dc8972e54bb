/** Copies of the disks of servers on hosts, through their driver alone. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageAlias, serverName } from '../../../src/drivers/hosts/names.ts'
import { type LabHosts, labHosts, newId, Servers } from '../kit/drivers.ts'
import { inLab } from '../kit/place.ts'

interface Stored {
  readonly aliases: readonly { readonly name: string }[]
  readonly properties: Readonly<Record<string, string>> | null
}

/** How many images are of an id, complete or not. */
async function countOf({ incus }: LabHosts, image: number): Promise<number> {
  const images = await incus.list<Stored>('/1.0/images?recursion=1')
  const isOf = ({ aliases, properties }: Stored) =>
    aliases.some(({ name }) => name === imageAlias(image)) || properties?.['wolke.image'] === String(image)
  return images.filter(isOf).length
}

test('a copy of a disk is made once, is there without its server, and stays removed', inLab, async () => {
  const hosts = await labHosts()
  const { images } = hosts.machines
  const servers = new Servers(hosts)
  const [id, copy, image] = [newId(), newId(), newId()]
  const capture = { imageId: image, server: { ...servers.plain(id), generation: 1 } }
  const snapshotsOf = () => hosts.incus.list<string>(`/1.0/instances/${serverName(id)}/snapshots`)
  try {
    await servers.apply(id)
    const shares: number[] = []
    const size = await images.capture(capture, (share) => shares.push(share))
    assert.ok(size > 50 && size < 2_000, `${size} MB`)
    assert.ok(
      shares.every((share) => share >= 0 && share <= 1),
      `${shares}`,
    )
    assert.equal(await images.capture(capture), size)
    assert.equal(await countOf(hosts, image), 1)
    assert.deepEqual(await snapshotsOf(), [])

    await servers.remove(id)
    await servers.apply(copy, { image })
    await images.remove({ imageId: image, serverId: id, location: null })
    assert.equal(await countOf(hosts, image), 0)
    await servers.apply(copy, { image, power: 'on' })
    await servers.isUp(copy)

    await assert.rejects(images.capture({ ...capture, server: { ...servers.plain(copy), generation: 9 } }), {
      message: `image ${image} is removed`,
      transient: false,
    })
    await images.remove({ imageId: image, serverId: id, location: null })
    await assert.rejects(servers.apply(newId(), { image }), {
      message: `the hosts do not have image ${image}`,
      code: 'resource_unavailable',
    })
  } finally {
    await servers.remove(id, copy)
    await images.remove({ imageId: image, serverId: id, location: null })
  }
})

test('a copy that was cut off is made anew, of a disk that is not left with a snapshot', inLab, async () => {
  const hosts = await labHosts()
  const { images } = hosts.machines
  const servers = new Servers(hosts)
  const [id, image] = [newId(), newId()]
  const path = `/1.0/instances/${serverName(id)}`
  try {
    await servers.apply(id)
    await hosts.incus.change('POST', `${path}/snapshots`, { name: imageAlias(image) })
    await images.capture({ imageId: image, server: { ...servers.plain(id), generation: 1 } })
    assert.equal(await countOf(hosts, image), 1)
    assert.deepEqual(await hosts.incus.list(`${path}/snapshots`), [])

    await hosts.incus.change('POST', `${path}/snapshots`, { name: imageAlias(newId()) })
    await servers.apply(id, { installation: 2 })
    assert.deepEqual(await hosts.incus.list(`${path}/snapshots`), [], 'a new installation needs a disk without any')
  } finally {
    await images.remove({ imageId: image, serverId: id, location: null })
    await servers.remove(id)
  }
  assert.equal(await countOf(hosts, image), 0)
})
