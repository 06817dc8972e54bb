import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entriesOf } from '../../../../test/kit/audit-log.ts'
import { forEachDatabase, type Open, testClock } from '../../../../test/kit/harness.ts'
import { expect } from '../../../../test/kit/resources.ts'
import { simulate } from '../../../families.ts'
import { DriverError } from '../../../kernel/actions/define.ts'
import type { BoxFiles, FilePlace, NamedFile } from '../driver.ts'
import { makeBox } from '../proof.ts'

/** Files of boxes of which each has the same directory, with the paths that were listed. */
function someFiles(count: number) {
  const names = Array.from({ length: count }, (_, n) => `file-${n}`)
  const listed: string[] = []
  const directory = { kind: 'directory', size: 0, modified: 0 } as const
  const files: Pick<BoxFiles, 'kind' | 'look' | 'list' | 'makeFolder' | 'rename' | 'remove'> = {
    kind: 'test',
    look: async () => directory,
    async list({ path }: FilePlace): Promise<readonly NamedFile[]> {
      listed.push(path)
      if (path === 'gone') throw new DriverError('there is none', { transient: false, code: 'not_found' })
      return names.map((name) => ({ ...directory, name }))
    },
    async makeFolder({ path }) {
      names.push(path)
    },
    rename: async () => undefined,
    remove: async () => undefined,
  }
  return { files, listed }
}

async function openFiles(open: Open, count = 5) {
  const clock = testClock()
  const simulation = simulate({ delayMs: 0, clock })
  const { files, listed } = someFiles(count)
  const storageBoxes = Object.create(simulation.drivers.storageBoxes, { files: { value: files } })
  const world = await open({ clock, simulation, drivers: { storageBoxes } })
  const box = await makeBox(world)
  const url = (path: string) => `${new URL(world.baseUrl).origin}/wolke/v1/storage_boxes/${box}/files${path}`
  const page = async (number: number, path = 'here') => {
    const answer = await world.api.get(url(`?path=${path}&per_page=2&page=${number}`))
    return answer.body.files?.map(({ name }: NamedFile) => name) ?? answer.body.error.code
  }
  return { world, box, url, page, listed }
}

forEachDatabase('the files of a Storage Box', (open) => {
  test('are listed once for all pages of a directory, and anew for the first one and after a change', async () => {
    const { world, url, page, listed } = await openFiles(open)
    assert.deepEqual(await page(1), ['file-0', 'file-1'])
    assert.deepEqual(await Promise.all([page(2), page(3)]), [['file-2', 'file-3'], ['file-4']])
    assert.deepEqual(listed.splice(0), ['here'])
    assert.deepEqual(await page(2, 'there'), ['file-2', 'file-3'])
    assert.deepEqual(listed.splice(0), ['there'])
    assert.deepEqual(await page(1), ['file-0', 'file-1'])
    assert.deepEqual(listed.splice(0), ['here'])
    expect(await world.api.post(url('/folders'), { path: 'new' }), 201)
    assert.deepEqual(await page(3), ['file-4', 'new'])
    assert.deepEqual(await page(3, 'there'), ['file-4', 'new'])
    assert.deepEqual(listed.splice(0), ['here', 'there'])
    assert.deepEqual([await page(2, 'gone'), await page(2, 'gone')], ['not_found', 'not_found'])
    assert.deepEqual(listed, ['gone', 'gone'])
  })

  test('are in no listing for longer than there is room for', async () => {
    const { page, listed } = await openFiles(open, 120_000)
    await page(1)
    await page(1, 'there')
    await page(2, 'there')
    assert.deepEqual(listed.splice(0), ['here', 'there'])
    await page(2)
    assert.deepEqual(listed, ['here'])
  })

  test('are in the audit log with their paths when they change', async () => {
    const { world, box, url } = await openFiles(open)
    const { api } = world
    const made = expect(await api.post(url('/folders'), { path: 'a/b' }), 201)
    const renamed = expect(await api.post(url('/rename'), { from: 'a/b', to: 'a//c/' }), 200)
    const removed = expect(await api.delete(url('?path=a%2Fc')), 204)
    const resources = async (answer: typeof made) => (await entriesOf(world, answer)).map((entry) => entry.resources)
    assert.deepEqual(await resources(made), [[box, 'a/b']])
    assert.deepEqual(await resources(renamed), [[box, 'a/b', 'a/c']])
    assert.deepEqual(await resources(removed), [[box, 'a/c']])
  })
})
