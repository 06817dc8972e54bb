/** A machine that loses its power: what was acknowledged is on the disk, and all else is whole or not there. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { skipsImages } from '../../storage/store/kit/grounds.ts'
import { missing } from '../kit/doors.ts'
import { type Site, siteOn } from './kit/storage.ts'

const skip = skipsImages || missing('sftp', 'xfs_io', 'losetup')
const rounds = 3

/** The ways on which a file is acknowledged when it is on disk. */
const ways: Record<string, (site: Site, path: string, content: Buffer) => Promise<void>> = {
  async webdav({ ask }, path, content) {
    assert.ok((await ask(1, 'PUT', `/${path}`, content)).ok)
  },
  async copied({ ask, filesOf }, path, content) {
    writeFileSync(join(filesOf(1), 'source'), content)
    assert.ok((await ask(1, 'COPY', '/source', undefined, { destination: `/${path}` })).ok)
  },
  async api({ storage }, path, content) {
    async function* source() {
      yield content
    }
    await storage.driver.files!.write({ box: 1, path }, source())
  },
  async sftp({ fixture }, path, content) {
    const local = join(fixture.folder, 'clients', 'f')
    writeFileSync(local, content)
    // With `-f` the client asks for it to be on disk.
    const { code, stderr } = await fixture.sftp('u1', `put -f ${local} ${path}\n`)
    assert.equal(code, 0, stderr)
  },
}

const blocksOf = (path: string) => Number.parseInt(execFileSync('du', ['-s', '-B1', path], { encoding: 'utf8' }), 10)

async function checkUsage({ storage, filesOf }: Site): Promise<void> {
  const files = filesOf(1)
  const usage = await storage.driver.usage(1)
  assert.equal(usage.data, blocksOf(files))
  const sizes = readdirSync(join(files, '../snapshots')).map(
    (name) => [name, blocksOf(join(files, '../snapshots', name))] as const,
  )
  assert.deepEqual(new Map([...usage.bySnapshot].map(([name, { size }]) => [name, size])), new Map(sizes))
}

async function loseAgainAndAgain(t: TestContext, kind: 'reflink' | 'ext4', way: string): Promise<void> {
  const site = await siteOn(t, kind)
  await site.apply(1)
  const kept = new Map<string, Buffer>()
  for (let round = 0; round < rounds; round++) {
    await site.storage.driver.createSnapshot(1, `${round}`)
    const frozen = new Map(kept)
    await checkUsage(site)
    // One name is new, and the other one had another content before.
    for (const name of [`new-${round}`, 'same']) {
      const content = randomBytes(50_000 + round * 10_000)
      await ways[way]!(site, name, content)
      kept.set(name, content)
    }
    await site.losePower()
    for (const [name, bytes] of kept) assert.ok(readFileSync(join(site.filesOf(1), name)).equals(bytes), name)
    const snapshot = join(site.filesOf(1), '../snapshots', `${round}`)
    for (const [name, bytes] of frozen) assert.ok(readFileSync(join(snapshot, name)).equals(bytes), `${name} frozen`)
    await checkUsage(site)
    await site.apply(1)
  }
}

for (const kind of ['reflink', 'ext4'] as const) {
  for (const way of Object.keys(ways)) {
    test(`what was acknowledged is there after a loss of power (${way} on ${kind})`, { skip }, (t) =>
      loseAgainAndAgain(t, kind, way),
    )
  }
}
