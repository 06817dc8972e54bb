/** The OCI image: what it is, and its process as an engine runs it, with hcloud. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { build } from '../run/built.ts'
import { alone, type Image, unpack } from './kit/container.ts'
import { hcloudProgram, serving } from './kit/machine.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'wolke-oci-'))
after(() => rmSync(folder, { recursive: true }))

/** Makes the image in a new folder, at a time that is fixed. */
function makeImage(name: string): string {
  const own = join(folder, name)
  mkdirSync(own)
  const env = { ...process.env, SOURCE_DATE_EPOCH: '1795970667' }
  const script = join(root, 'scripts/packages/oci.ts')
  return execFileSync(process.execPath, [script, own], { cwd: root, env, encoding: 'utf8' }).trim()
}

let archive: string
let image: Image

before(async () => {
  await build()
  archive = makeImage('first')
  image = unpack(archive, folder)
})

/** What skopeo, which engines are made of too, reads of the archive in one of its two forms. */
const inspect = (form: string, ...args: readonly string[]) =>
  JSON.parse(execFileSync('skopeo', ['inspect', ...args, `${form}:${archive}`], { encoding: 'utf8' }))

const env = 'HCLOUD_ENDPOINT=http://127.0.0.1:8080/v1 HETZNER_ENDPOINT=http://127.0.0.1:8080/storage/v1'

describe('The OCI image', () => {
  test('is the same whenever it is made of the same', () => {
    assert.ok(readFileSync(makeImage('second')).equals(readFileSync(archive)))
  })

  test('is read by the library of engines, as OCI has it and as Docker does', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const { Layers: layers, Labels: labels, Architecture: architecture } = inspect('oci-archive')
    assert.equal(layers.length, 2)
    assert.equal(architecture, { x64: 'amd64', arm64: 'arm64' }[process.arch as string])
    assert.equal(labels['org.opencontainers.image.version'], version)
    assert.equal(labels['org.opencontainers.image.licenses'], 'Apache-2.0')
    const { config } = inspect('oci-archive', '--config', '--raw')
    assert.deepEqual(config.Healthcheck.Test, ['CMD', '/usr/bin/wolke', 'health'])
    assert.deepEqual(inspect('docker-archive', '--config', '--raw').config, config)
  })

  test('has less than 90 MB, and nothing that it does not need', () => {
    assert.ok(statSync(archive).size < 90_000_000, `${statSync(archive).size}`)
    const paths = globSync('**', { cwd: image.root })
    const modeOf = (path: string) => lstatSync(join(image.root, path)).mode
    const isProgram = (path: string) => lstatSync(join(image.root, path)).isFile() && (modeOf(path) & 0o111) !== 0
    const programs = paths.filter((path) => isProgram(path) && !/\.so[.\d]*$/.test(path))
    assert.deepEqual(programs.sort(), ['usr/lib/wolke/dist/main.js', 'usr/lib/wolke/node'])
    const special = paths.filter((path) => (modeOf(path) & 0o6_000) !== 0)
    assert.deepEqual(special, [])
  })

  test('serves hcloud as a user without rights, on a root that is read-only, and ends with 0', async () => {
    const start = image.start('cloud')
    const log = join(folder, 'log')
    const { code, stdout, stderr } = await alone(
      serving(
        `exec ${start} >${log} 2>&1`,
        log,
        `export ${env} HCLOUD_TOKEN=$(${image.within('cloud', 'wolke token create --project default')})
${hcloudProgram} server create --name one --type cpx22 --image debian-12 --location hel1 --start-after-create=false >/dev/null
${hcloudProgram} server list -o noheader -o columns=name
${image.within('cloud', 'wolke health')}
grep -h '^\\(Uid\\|Cap[IPEBA]\\|NoNewPrivs\\)' /proc/$(pgrep -P $pid)/status
${image.within('cloud', "/usr/lib/wolke/node -e \"try{fs.writeFileSync('/usr/x','')}catch(e){console.log(e.code)}\"")}`,
      ),
    )
    assert.equal(code, 0, stderr + stdout + readFileSync(log, 'utf8'))
    const [server, health = '', ...rest] = stdout.trim().split('\n')
    assert.equal(server, 'one')
    assert.equal(JSON.parse(health).status, 'ok')
    const { uid } = image.process.user
    assert.deepEqual(rest, [
      `Uid:\t${uid}\t${uid}\t${uid}\t${uid}`,
      ...['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => `${name}:\t0000000000000000`),
      'NoNewPrivs:\t1',
      'EROFS',
    ])
    assert.notEqual(uid, 0)
    assert.ok(!/wlk_|"level":[45]0/.test(readFileSync(log, 'utf8')), readFileSync(log, 'utf8'))
  })

  test('is not well where nothing serves', async () => {
    const { code, stderr } = await alone(image.start('sick', ['/usr/bin/wolke', 'health']))
    assert.equal(code, 1)
    assert.match(stderr, /^wolke: 127\.0\.0\.1:8080 does not answer: /)
  })

  test('knows zones of time, and the authorities of the web', async () => {
    const script =
      'console.log(new Date(0).toLocaleString("en", { timeZone: "Asia/Tokyo" }), tls.rootCertificates.length > 100)'
    const { stdout } = await alone(image.start('clock', ['/usr/lib/wolke/node', '-e', script]))
    assert.equal(stdout, '1/1/1970, 9:00:00 AM true\n')
  })
})
