/** Whoever asks how full his box is hears of the box, not of the disk that it shares with others. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { kinds, megabyte } from '../../storage/store/kit/grounds.ts'
import { missing } from '../kit/doors.ts'
import { siteOn } from './kit/storage.ts'

const body = Buffer.from('<propfind xmlns="DAV:"><prop><quota-available-bytes/><quota-used-bytes/></prop></propfind>')

for (const { kind, skip } of kinds) {
  test(`the doors tell what a box takes and may take (${kind})`, {
    skip: missing('ssh', 'ssh-keygen') || skip,
  }, async (t) => {
    const site = await siteOn(t, kind)
    await site.apply(1, 100 * megabyte)
    await site.apply(2, 100 * megabyte)
    assert.equal((await site.ask(2, 'PUT', '/of-another', randomBytes(20 * megabyte))).status, 201)
    const told = async () => {
      const text = await (await site.ask(1, 'PROPFIND', '/', body, { depth: '0' })).text()
      const [free, used] = ['available', 'used'].map((what) =>
        Number(new RegExp(`<D:quota-${what}-bytes>(\\d+)<`).exec(text)?.[1]),
      )
      return { free: free! / megabyte, used: used! / megabyte }
    }
    const isAbout = (figure: number, wanted: number) =>
      assert.ok(Math.abs(figure - wanted) < 2, `${figure}, not ${wanted}`)
    const empty = await told()
    isAbout(empty.used, 0)
    isAbout(empty.free, 100)

    assert.equal((await site.ask(1, 'PUT', '/file', randomBytes(30 * megabyte))).status, 201)
    await site.storage.driver.createSnapshot(1, 'kept')
    const inSnapshot = kind === 'plain' || kind === 'reflink' ? 30 : 0
    assert.equal((await site.ask(1, 'PUT', '/other', randomBytes(10 * megabyte))).status, 201)
    // What was charged while it was measured may be counted twice until it is measured again.
    const isMeasured = async () => {
      await site.storage.driver.usage(1)
      return Math.abs((await told()).used - (40 + inSnapshot)) < 2
    }
    for (const end = Date.now() + 20_000; !(await isMeasured()) && Date.now() < end; );
    const { free, used } = await told()
    isAbout(used, 40 + inSnapshot)
    isAbout(free, 100 - used)
    const { stdout } = await site.fixture.ssh('u1', 'df')
    const [, size, taken, left] = stdout
      .split('\n')[1]!
      .split(' ')
      .map((word) => (Number(word) * 1_024) / megabyte)
    isAbout(size!, 100)
    isAbout(taken!, used)
    isAbout(left!, free)
  })
}
