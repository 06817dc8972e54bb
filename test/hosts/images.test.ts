/** An operator brings images onto hosts by their names, as often as he likes. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { build } from '../../lab/build.ts'
import { program } from '../program/kit/program.ts'
import { hostsOptionsOf, theLab } from './kit/cluster.ts'
import { incus, output } from './kit/guests.ts'
import { inLab } from './kit/place.ts'

/** No other test makes servers of it. */
const name = 'fedora-43'

interface Files {
  readonly metadata: string
  readonly root: string
}

/** The files of the image that labs have, and of another one that differs in its description. */
async function filesIn(folder: string): Promise<{ usual: Files; other: Files }> {
  const { image } = await build()
  const usual = { metadata: join(image, 'metadata.tar.xz'), root: join(image, 'root.squashfs') }
  const content = join(folder, 'metadata')
  mkdirSync(content)
  await output(['tar', '-C', content, '-xJf', usual.metadata])
  const path = join(content, 'metadata.yaml')
  writeFileSync(path, readFileSync(path, 'utf8').replace(/description: \w+/, 'description: another'))
  const metadata = join(folder, 'metadata.tar.xz')
  await output(['tar', '-C', content, '-cJf', metadata, '.'])
  return { usual, other: { metadata, root: usual.root } }
}

/** A server of the protocol simplestreams with one image. */
async function streams(t: TestContext, { metadata, root }: Files, alias: string): Promise<string> {
  const digest = (...paths: readonly string[]) => {
    const hash = createHash('sha256')
    for (const path of paths) hash.update(readFileSync(path))
    return hash.digest('hex')
  }
  const item = (ftype: string, path: string) => ({
    ftype,
    path: ftype,
    sha256: digest(path),
    size: statSync(path).size,
  })
  const items = {
    metadata: { ...item('incus.tar.xz', metadata), combined_squashfs_sha256: digest(metadata, root) },
    root: item('squashfs', root),
  }
  const arch = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const about = { os: 'Fedora', release: '43', release_title: '43', variant: 'cloud' }
  const products = { [alias]: { ...about, aliases: alias, arch, versions: { '20261101_05:24': { items } } } }
  const form = { datatype: 'image-downloads', format: 'products:1.0' }
  const index = { ...form, path: 'streams/v1/images.json', products: [alias] }
  const texts: Readonly<Record<string, string>> = {
    '/streams/v1/index.json': JSON.stringify({ format: 'index:1.0', index: { images: index } }),
    '/streams/v1/images.json': JSON.stringify({ ...form, content_id: 'images', products }),
  }
  const files: Readonly<Record<string, string>> = { '/incus.tar.xz': metadata, '/squashfs': root }
  const server = createServer(({ url = '' }, response) => {
    if (texts[url] !== undefined) response.end(texts[url])
    else if (files[url] !== undefined) createReadStream(files[url]).pipe(response)
    else response.writeHead(404).end()
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  // The lab itself is the last host of their network.
  const here = theLab().members[0]!.address.replace(/\d+$/, '254')
  return `http://${here}:${(server.address() as AddressInfo).port}`
}

test(
  'an image is brought onto the hosts from files or from a server, once, and the one before it goes',
  inLab,
  async (t) => {
    const lab = theLab()
    const { folder, command } = program('images')
    const bring = async (...from: readonly string[]) => {
      const { code, stdout, stderr } = await command('infrastructure', 'image', name, ...from, ...hostsOptionsOf(lab))
      assert.equal(code, 0, stderr)
      return stdout.trim().split('\t')
    }
    const { usual, other } = await filesIn(folder)
    const filesOf = ({ metadata, root }: Files) => ['--metadata', metadata, '--root', root]
    const aliases = async () => (await incus<string[]>(lab, '/1.0/images/aliases')).sort()
    const before = { images: (await incus<string[]>(lab, '/1.0/images')).sort(), aliases: await aliases() }
    const [, , alias, isNew] = await bring(...filesOf(usual))
    assert.equal(isNew, 'there already')
    const description = async () => {
      const { target } = await incus<{ target: string }>(lab, `/1.0/images/aliases/${alias}`)
      return (await incus<{ properties: { description: string } }>(lab, `/1.0/images/${target}`)).properties.description
    }
    try {
      assert.deepEqual(await bring(...filesOf(other)), ['incus', name, alias, 'imported'])
      assert.equal(await description(), 'another')
      assert.deepEqual(await bring(...filesOf(other)), ['incus', name, alias, 'there already'])
      await bring(...filesOf(usual))
      assert.deepEqual((await incus<string[]>(lab, '/1.0/images')).sort(), before.images)

      const server = await streams(t, other, 'fedora/43/cloud')
      assert.equal((await bring('--server', server)).at(-1), 'imported')
      assert.match(await description(), /^Fedora 43/)
      assert.equal((await bring('--server', server)).at(-1), 'there already')
      const urls = ['--metadata', `${server}/incus.tar.xz`, '--root', `${server}/squashfs`]
      assert.equal((await bring(...urls)).at(-1), 'there already')
      const gone = await command(
        'infrastructure',
        'image',
        name,
        ...urls,
        '--root',
        `${server}/gone`,
        ...hostsOptionsOf(lab),
      )
      assert.deepEqual([gone.code, gone.stderr], [2, `wolke: --root: ${server}/gone answers with status 404\n`])
    } finally {
      await bring(...filesOf(usual))
    }
    const after = { images: (await incus<string[]>(lab, '/1.0/images')).sort(), aliases: await aliases() }
    assert.deepEqual(after, before)
  },
)

test('names are listed with what the hosts have, and others are refused', inLab, async () => {
  const { folder, command } = program('names')
  const image = (...args: readonly string[]) => command('infrastructure', 'image', ...args, ...hostsOptionsOf(theLab()))
  const { code, stdout } = await image()
  assert.equal(code, 0)
  for (const known of ['debian-13', 'wolke-balancer'])
    assert.match(stdout, new RegExp(`^incus\t${known}\t.*\tthere$`, 'm'))

  const refused = async (says: RegExp, ...args: readonly string[]) => {
    const answer = await image(...args)
    assert.deepEqual([answer.code, answer.stdout], [2, ''])
    assert.match(answer.stderr, says)
  }
  await refused(/^wolke: name: there is no image debain-13, but .*debian-13/, 'debain-13')
  await refused(/^wolke: --root: /, 'debian-13', '--metadata', join(folder, 'one'))
  await refused(/^wolke: --metadata: .*nowhere/, 'debian-13', '--metadata', '/nowhere', '--root', '/nowhere')
  await refused(/^wolke: --server: /, 'debian-13', '--server', 'images')
  await refused(/^wolke: --image: /, 'wolke-balancer')
  const other = process.arch === 'arm64' ? 'x86' : 'arm'
  await refused(/^wolke: --architecture: /, 'debian-13', '--architecture', other)
})
