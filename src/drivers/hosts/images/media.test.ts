/** Which ISOs there are for virtual machines, and whether a server can boot from what it is to boot from. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Incus } from '../../../protocols/incus/client.ts'
import { Media } from './media.ts'

const log = { warn: () => undefined }
const rescue = { sshKeys: [], rootPasswordHash: '' }

/** The volumes of a cluster, each as `name on host`. */
function mediaOf(...volumes: readonly string[]) {
  const list = async () => volumes.map((one) => one.split(' on ')).map(([name, location = '']) => ({ name, location }))
  return new Media({ incus: { list } as unknown as Incus, pool: 'local', log })
}

const refused = (message: string) => ({ message, transient: false, code: 'resource_unavailable' })

test('what the operator imported for servers is found on its hosts, and nothing else', async () => {
  const media = mediaOf('wolke-iso-1 on h1', 'wolke-iso-1 on h2', 'wolke-rescue', 'mine on h1')
  const found = [...(await media.hostsByName())]
  assert.deepEqual(found, [
    ['wolke-iso-1', ['h1', 'h2']],
    ['wolke-rescue', []],
  ])
})

test('there is a rescue system once it is imported', async () => {
  for (const [volumes, hasRescue] of [
    [['wolke-rescue on h1'], true],
    [['wolke-iso-1 on h1'], false],
  ] as const) {
    const media = mediaOf(...volumes)
    await media.open()
    assert.equal(media.hasRescue, hasRescue)
    await media.close()
  }
})

test('a server is refused what its host does not have', async () => {
  const media = mediaOf('wolke-iso-1 on h1', 'wolke-iso-2 on none')
  await media.need({ iso: null, rescue: null }, 'h2')
  await media.need({ iso: 1, rescue: null }, 'h1')
  await media.need({ iso: 1, rescue: null }, undefined)
  await media.need({ iso: 2, rescue: null }, 'h2')
  const need = (iso: number, of: typeof rescue | null, host?: string) => media.need({ iso, rescue: of }, host)
  await assert.rejects(need(1, null, 'h2'), refused('the host h2 does not have ISO 1'))
  await assert.rejects(need(3, null), refused('the hosts do not have ISO 3'))
  await assert.rejects(need(3, rescue, 'h1'), refused('the host h1 does not have ISO 3 and the rescue system'))
})
