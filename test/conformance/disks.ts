/** Volumes, and images of disks. */
import assert from 'node:assert/strict'
import { ipv4Of, type Stage } from './stage.ts'

/** What is on a volume goes with it from server to server, and stays when it grows. */
export async function keepsItsData(stage: Stage): Promise<void> {
  const { look } = stage.place
  const [one, two] = await stage.servers({ name: 'one' }, { name: 'two' })
  const made = await stage.post('/volumes', { name: 'data', size: 10, server: one.id, automount: true, format: 'ext4' })
  const { id } = made.volume
  const file = `/mnt/HC_Volume_${id}/kept`
  await look.write(one.id, file, 'mine')
  await stage.post(`/volumes/${id}/actions/resize`, { size: 12 })
  assert.equal(await look.volumeGb(id), 12)
  assert.equal(await look.read(one.id, file), 'mine')

  await stage.post(`/volumes/${id}/actions/detach`)
  assert.equal(await look.read(one.id, file), undefined)
  await stage.post(`/volumes/${id}/actions/attach`, { server: two.id, automount: true })
  assert.equal(await look.read(two.id, file), 'mine')
  await stage.command(two.id, 'reset')
  await stage.answers(ipv4Of(two), 'two')
  assert.equal(await look.read(two.id, file), 'mine')

  await stage.delete(`/servers/${two.id}`)
  await stage.post(`/volumes/${id}/actions/attach`, { server: one.id, automount: true })
  assert.equal(await look.read(one.id, file), 'mine')
}

/** A snapshot boots on another host, with what was on the disk. */
export async function bootsElsewhere(stage: Stage): Promise<void> {
  const { look } = stage.place
  const apart = await stage.apart()
  const [source] = await stage.servers({ name: 'source', ...apart })
  await stage.answers(ipv4Of(source), 'source')
  await look.write(source.id, '/root/kept', 'mine')
  const { image } = await stage.command(source.id, 'create_image', { type: 'snapshot', description: 'kept' })
  await look.write(source.id, '/root/kept', 'later')
  const [copy] = await stage.servers({ name: 'copy', image: image.id, ...apart })
  await stage.areApart(source.id, copy.id)
  await stage.answers(ipv4Of(copy), 'copy')
  assert.equal(await look.read(copy.id, '/root/kept'), 'mine')
  assert.equal(await look.read(source.id, '/root/kept'), 'later')
  await stage.delete(`/images/${image.id}`)
  assert.equal(await look.read(copy.id, '/root/kept'), 'mine', 'a server outlives its image')
}
