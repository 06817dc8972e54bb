import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Command } from 'commander'
import { selfSigned } from '../../test/kit/samples/certificates.ts'
import { type Config, serveOptions, toConfig } from '../config/config.ts'
import { readClusters } from './clusters.ts'

/** The configuration of a server that is started with these options. */
function configOf(...args: readonly string[]): Config {
  let config: Config | undefined
  const command = new Command('serve').exitOverride().configureOutput({ writeErr: () => undefined })
  for (const option of serveOptions()) command.addOption(option)
  command.action((given: Config) => {
    config = toConfig(given)
  })
  command.parse(args, { from: 'user' })
  return config!
}

const entry = {
  name: 'rack1',
  incus: ['unix:/var/lib/incus/unix.socket'],
  ovn: ['tcp:192.0.2.1:6641'],
  uplink: 'UPLINK',
  network: 'pub',
  pool: 'ceph',
  instance_type: 'container',
  name_servers: ['192.0.2.53'],
  overcommit: 1.5,
}

/** A file with this content, which goes after the test. */
function fileOf(t: TestContext, content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'clusters-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'clusters.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const refusal = async (t: TestContext, content: unknown) => {
  const path = fileOf(t, content)
  const error = await readClusters(configOf('--infrastructure-file', path)).then(
    () => assert.fail('it was taken'),
    (error: Error) => error,
  )
  assert.equal(error.message.includes('\n'), false)
  return error.message.replace(`--infrastructure-file ${path}: `, '')
}

test('without options there are no hosts', async () => {
  assert.deepEqual(await readClusters(configOf()), { usual: 'simulated', clusters: [] })
})

test('options describe one cluster, which runs what names nothing else', async () => {
  const options = ['--infrastructure', 'incus', '--incus-type', 'container', '--metadata-listen', '192.0.2.9:8169']
  const { usual, clusters } = await readClusters(configOf(...options))
  assert.equal(usual, 'incus')
  assert.deepEqual(clusters, [
    {
      name: 'incus',
      incus: [{ socket: '/var/lib/incus/unix.socket' }],
      ovn: { remotes: ['unix:/run/ovn/ovnnb_db.sock'] },
      uplink: 'UPLINK',
      publicNetwork: 'pub',
      pool: 'default',
      instanceType: 'container',
      instanceConfig: {},
      nameServers: [],
      overcommit: 1,
      metadata: '192.0.2.9:8169',
    },
  ])
})

test('the address at which hosts reach the metadata service may be another one, or none', async () => {
  const at = async (...more: string[]) =>
    (await readClusters(configOf('--infrastructure', 'incus', ...more))).clusters[0]?.metadata
  assert.equal(await at('--metadata-address', '198.18.0.1:80', '--metadata-listen', '0.0.0.0:8169'), '198.18.0.1:80')
  assert.equal(await at('--metadata-listen', 'off'), null)
})

test('servers may be configured further', async (t) => {
  const configs = async (...options: string[]) =>
    (await readClusters(configOf(...options))).clusters.map(({ instanceConfig }) => instanceConfig)
  const settings = ['--incus-config', 'security.nesting=true, limits.processes=4000']
  assert.deepEqual(await configs('--infrastructure', 'incus', ...settings), [
    { 'security.nesting': 'true', 'limits.processes': '4000' },
  ])
  const path = fileOf(t, { clusters: [{ ...entry, instance_config: { 'security.nesting': 'true' } }] })
  assert.deepEqual(await configs('--infrastructure-file', path), [{ 'security.nesting': 'true' }])
})

test('connections over TLS need their certificates, and one kind of infrastructure is chosen', async () => {
  const refused = (...options: string[]) =>
    assert.throws(() => configOf(...options), /^InvalidArgumentError|^Commander/)
  refused('--infrastructure', 'incus', '--incus', 'https://192.0.2.1:8443')
  refused('--infrastructure', 'incus', '--ovn', 'ssl:192.0.2.1:6641')
  refused('--infrastructure', 'incus', '--infrastructure-file', 'clusters.json')
  refused('--incus', 'http://192.0.2.1')
  refused('--ovn', '192.0.2.1:6641')
  refused('--incus-overcommit', '0.5')
  refused('--metadata-address', 'example.com:80')
  refused('--incus-name-servers', 'resolver')
  refused('--incus-config', 'security.nesting')
})

test('a file that a certificate is read from must be there, and hold one', async (t) => {
  const path = fileOf(t, 'no certificate')
  const options = ['--incus', 'https://192.0.2.1:8443', '--incus-cert', path, '--incus-key', path]
  const config = configOf('--infrastructure', 'incus', ...options, '--incus-server-cert', path)
  await assert.rejects(readClusters(config), { message: `--incus-cert: ${path} holds no certificate in PEM` })
  await assert.rejects(readClusters({ ...config, incusCert: '/nowhere' }), /^Error: --incus-cert: ENOENT/)
})

test('a key belongs to its certificate', async (t) => {
  const [ours, others] = [selfSigned('wolke.example'), selfSigned('other.example')]
  const certificate = fileOf(t, ours.certificate)
  const at = (key: string) => {
    const options = ['--incus', 'https://192.0.2.1:8443', '--incus-cert', certificate, '--incus-key', key]
    return readClusters(configOf('--infrastructure', 'incus', ...options, '--incus-server-cert', certificate))
  }
  assert.equal((await at(fileOf(t, ours.private_key))).clusters.length, 1)
  for (const text of [others.private_key, 'no key']) {
    const path = fileOf(t, text)
    const message = `--incus-key: ${path} holds no private key in PEM of the certificate ${certificate}`
    await assert.rejects(at(path), { message })
  }
})

test('a file describes several clusters', async (t) => {
  const second = { ...entry, name: 'rack2', metadata_address: '198.18.0.1:8169', instance_type: 'virtual-machine' }
  const path = fileOf(t, { default: 'rack2', clusters: [entry, second] })
  const { usual, clusters } = await readClusters(configOf('--infrastructure-file', path, '--metadata-listen', 'off'))
  assert.equal(usual, 'rack2')
  assert.deepEqual(
    clusters.map(({ name, pool, instanceType, metadata }) => [name, pool, instanceType, metadata]),
    [
      ['rack1', 'ceph', 'container', null],
      ['rack2', 'ceph', 'virtual-machine', '198.18.0.1:8169'],
    ],
  )
})

test('a file that cannot be used is refused with the place in it', async (t) => {
  const { pool: _, ...lacking } = entry
  assert.equal(await refusal(t, { clusters: [lacking] }), 'clusters[0].pool: is missing')
  assert.equal(await refusal(t, {}), 'clusters: is missing')
  assert.equal(await refusal(t, { clusters: [entry, entry] }), 'clusters[1].name: rack1 is already used')
  assert.equal(
    await refusal(t, { clusters: [{ ...entry, name: 'simulated' }] }),
    'clusters[0].name: simulated is already used',
  )
  assert.equal(await refusal(t, { clusters: [entry], default: 'x' }), 'default: no cluster has the name x')
  assert.match(await refusal(t, { clusters: [{ ...entry, instance_type: 'zone' }] }), /^clusters\[0\]\.instance_type: /)
  assert.match(await refusal(t, { clusters: [{ ...entry, ovn: ['x'] }] }), /^clusters\[0\]\.ovn: x: expected unix:/)
  const misnamed = { clusters: [entry, { ...entry, name: 'rack2', name_servers: ['resolver'] }] }
  assert.equal(await refusal(t, misnamed), 'clusters[1].name_servers: resolver: expected an IP address.')
  assert.match(await refusal(t, '{'), /JSON/)
})
