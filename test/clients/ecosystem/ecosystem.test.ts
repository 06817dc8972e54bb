/**
 * docs/clients.md, for the programs that can be installed here: each does its work with the settings that its row names,
 * and no others, and has the version of its row.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { bundle } from '../../program/kit/program.ts'
import {
  findProgram,
  installHcloud,
  installPython,
  installTools,
  type Outcome,
  run,
  type Service,
  serve,
  skipWithout,
  toolVersions,
} from '../kit/clients.ts'
import { readPage } from '../kit/page.ts'
import { type AcmeRig, pebble, startRig } from '../kit/pebble.ts'
import { type RunningProxy, startProxy } from '../kit/proxy.ts'

// ---- The page ------------------------------------------------------------------------------------------------------

interface Row {
  readonly versions: string
  /** Variables, as they stand in the column of settings. */
  readonly settings: readonly string[]
}

/** The rows of programs that the page says are tested here, by name. */
const rows = new Map(
  [...readPage('docs/clients.md').text.matchAll(/^\| ([^|]+?) ✓ \| ([^|]+) \| ([^|]+) \|/gm)].map(
    ([, name, versions, settings]): [string, Row] => [
      name!,
      { versions: versions!, settings: [...settings!.matchAll(/`([A-Z_]+)`/g)].map(([, one]) => one!) },
    ],
  ),
)

/** The programs that are run below. */
const tested = ['certbot-dns-hetzner', 'certbot-dns-hetzner-cloud', 'dns-lexicon', 'hcloud', 'octodns-hetzner'] as const
type Tested = (typeof tested)[number]

it('the page has check marks at those that are tested here, and at no others', () => {
  assert.deepEqual([...rows.keys()].sort(), tested)
})

/** The environment that a row names, with the values of a server and its proxy. */
function settingsOf(name: Tested, version: string, { env }: Service, { settings }: RunningProxy) {
  const row = rows.get(name)
  assert.ok(row, `${name} has no row with a check mark`)
  assert.ok(row.versions.split(/[ ,]+/).includes(version), `${name} ${version} is not in its row: ${row.versions}`)
  const all: Readonly<Record<string, string>> = { ...env, ...settings }
  const named = row.settings.map((variable) => {
    assert.ok(all[variable], `nothing prints ${variable}`)
    return [variable, all[variable]!]
  })
  // A home without anybody's settings, in which a program keeps what it wants to.
  return {
    HOME: env.HOME!,
    HCLOUD_TOKEN: env.HCLOUD_TOKEN!,
    NO_PROXY: settings.NO_PROXY!,
    ...Object.fromEntries(named),
  }
}

function succeeded({ code, stdout, stderr }: Outcome): string {
  assert.equal(code, 0, stdout + stderr)
  return stdout
}

// ---- Programs ------------------------------------------------------------------------------------------------------

/** octoDNS at the zone of a file, twice: what it plans then is nothing. */
const octodns = `providers:
  files: {class: octodns.provider.yaml.YamlProvider, directory: ./zones, enforce_order: false}
  here: {class: octodns_hetzner.HetznerProvider, token: env/HCLOUD_TOKEN, backend: hcloud}
zones:
  octo.example.: {sources: [files], targets: [here]}
`
const zone = `'':
  - {type: A, ttl: 300, value: 192.0.2.1}
  - {type: CAA, value: {flags: 0, tag: issue, value: ca.example}}
  - {type: MX, value: {exchange: mail.octo.example., preference: 10}}
  - {type: TXT, values: ['v=spf1 -all', 'with \\; semicolon']}
'*': {type: A, values: [192.0.2.2, 192.0.2.3]}
_sip._tcp: {type: SRV, value: {port: 5060, priority: 1, target: sip.octo.example., weight: 2}}
six: {type: AAAA, value: '2001:db8::1'}
sub: {type: NS, values: [ns1.other.example., ns2.other.example.]}
www: {type: CNAME, value: octo.example.}
`

describe('with the settings of its row', { concurrency: 1 }, () => {
  let rig: AcmeRig
  let proxy: RunningProxy

  before(async () => {
    rig = pebble ? await startRig({ PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' }) : await withoutPebble()
    proxy = await startProxy(rig.service)
    const { env } = rig.service
    const asked = await fetch(`${env.HCLOUD_ENDPOINT}/zones`, {
      method: 'POST',
      headers: { authorization: `Bearer ${env.HCLOUD_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'example.com', mode: 'primary' }),
    })
    assert.equal(asked.status, 201)
  })
  after(async () => {
    await proxy?.stop()
    await rig?.stop()
  })

  const settings = (name: Tested, version: string) => settingsOf(name, version, rig.service, proxy)

  /** The Python with the tools; undefined once the test is skipped. */
  async function tools(t: TestContext): Promise<string | undefined> {
    const python = await installTools()
    if (!python) skipWithout(t, 'the Python tools cannot be installed')
    return python
  }

  it('dns-lexicon creates, lists, updates and deletes records', async (t) => {
    const python = await tools(t)
    if (!python) return
    const env = settings('dns-lexicon', toolVersions['dns-lexicon'])
    const script = join(import.meta.dirname, 'dns_lexicon.py')
    const said = succeeded(await run(python, ['-B', script], { env }))
    const name = '_acme-challenge.example.com'
    assert.deepEqual(JSON.parse(said), {
      created: [
        [name, 'one', 3600],
        [name, 'two', 3600],
      ],
      'one deleted': [[name, 'two', 3600]],
      'all deleted': [],
      updated: [
        ['www.example.com', '192.0.2.2', 3600],
        ['alias.example.com', 'www.example.com.', 3600],
      ],
    })
  })

  it('octoDNS makes a zone as its file says, changes it, and plans nothing afterwards', async (t) => {
    const python = await tools(t)
    if (!python) return
    const env = settings('octodns-hetzner', toolVersions['octodns-hetzner'])
    const cwd = join(rig.service.folder, 'octodns')
    mkdirSync(join(cwd, 'zones'), { recursive: true })
    writeFileSync(join(cwd, 'config.yaml'), octodns)
    const sync = async (content: string) => {
      writeFileSync(join(cwd, 'zones/octo.example.yaml'), content)
      const args = ['-B', '-m', 'octodns.cmds.sync', '--config-file=config.yaml', '--doit', '--force']
      const { stdout, stderr } = await run(python, args, { env, cwd }).then((one) => ({ ...one, done: succeeded(one) }))
      return stdout + stderr
    }
    const changed = zone
      .replace('ttl: 300', 'ttl: 600')
      .replace('192.0.2.3', '192.0.2.4')
      .replace(/^six.*\n/m, '')
    assert.match(await sync(zone), /Creates=9, Updates=0, Deletes=0/)
    assert.match(await sync(zone), /No changes were planned/)
    assert.match(await sync(changed), /Creates=0, Updates=2, Deletes=1/)
    assert.match(await sync(changed), /No changes were planned/)
  })

  for (const [plugin, name] of [
    ['dns-hetzner', 'certbot-dns-hetzner'],
    ['dns-hetzner-cloud', 'certbot-dns-hetzner-cloud'],
  ] as const) {
    it(`certbot with ${name} gets a certificate for a name and all below it`, async (t) => {
      const python = await tools(t)
      if (!python) return
      if (!pebble) return skipWithout(t, 'pebble is not installed')
      const env = settings(name, toolVersions[name])
      const { folder } = rig.service
      const credentials = join(folder, `${plugin}.ini`)
      writeFileSync(credentials, `${plugin.replaceAll('-', '_')}_api_token = ${env.HCLOUD_TOKEN}\n`, { mode: 0o600 })
      const domain = `${plugin}.example.com`
      const folders = ['config', 'work', 'logs'].map((one) => `--${one}-dir=${join(folder, 'certbot', one)}`)
      const options = [`--server=${rig.directory}`, '--no-verify-ssl', '--non-interactive', '--agree-tos', ...folders]
      const dns = [
        `--authenticator=${plugin}`,
        `--${plugin}-credentials=${credentials}`,
        `--${plugin}-propagation-seconds=0`,
      ]
      const args = [
        'certonly',
        '--register-unsafely-without-email',
        ...options,
        ...dns,
        '-d',
        domain,
        '-d',
        `*.${domain}`,
      ]
      const start = 'from certbot.main import main; import sys; sys.exit(main(sys.argv[1:]))'
      succeeded(await run(python, ['-Bc', start, ...args], { env }))
      const left = await fetch(`${rig.service.env.HCLOUD_ENDPOINT}/zones/example.com/rrsets?type=TXT`, {
        headers: { authorization: `Bearer ${env.HCLOUD_TOKEN}` },
      })
      assert.deepEqual(((await left.json()) as { rrsets: unknown[] }).rrsets, [])
    })
  }

  it('hcloud lists locations', async (t) => {
    const installed = await installHcloud('new')
    if (!installed) return skipWithout(t, 'hcloud is not installed')
    const env = settings('hcloud', `1.${installed.minor}`)
    assert.match(succeeded(await run(installed.program, ['location', 'list'], { env })), /hel1/)
  })
})

describe('the proxy', { concurrency: 1 }, () => {
  let service: Service
  let proxy: RunningProxy

  before(async () => {
    service = await serve('memory')
    proxy = await startProxy(service)
  })
  after(async () => {
    await proxy?.stop()
    await service?.stop()
  })

  it('is started and used by a script as the page says', async (t) => {
    if (!findProgram('curl')) return skipWithout(t, 'curl is missing')
    const { origin } = new URL(service.env.HCLOUD_ENDPOINT!)
    const block = readPage('docs/clients.md')
      .blocksOf('sh')
      .find(({ text }) => text.includes('--port 0'))!
    const start = block.text.replace('npx wolke', '"$0" "$1"').replace('http://127.0.0.1:8080', origin)
    const ask =
      'curl -sS -H "Authorization: Bearer $HCLOUD_TOKEN" https://api.hetzner.com/v1/storage_boxes; kill $!; wait $!'
    const env = { HCLOUD_TOKEN: service.env.HCLOUD_TOKEN! }
    const said = await run('sh', ['-c', start + ask, process.execPath, bundle], { env, cwd: service.folder })
    assert.deepEqual(JSON.parse(succeeded(said)).storage_boxes, [])
  })

  it('leads the Python library from both hosts', async (t) => {
    const python = await installPython()
    if (!python) return skipWithout(t, 'the Python library cannot be installed')
    const script = `from hcloud import Client
client = Client(token="${service.env.HCLOUD_TOKEN}")
print(len(client.locations.get_all()), client.storage_boxes.get_all())`
    assert.match(succeeded(await run(python, ['-Bc', script], { env: proxy.settings })), /^[1-9]\d* \[\]\n$/)
  })

  it('leads a program in Go', async (t) => {
    const installed = await installHcloud('new')
    if (!installed) return skipWithout(t, 'hcloud is not installed')
    const { HOME, XDG_CONFIG_HOME, HCLOUD_TOKEN } = service.env
    const env = { ...proxy.settings, HOME: HOME!, XDG_CONFIG_HOME: XDG_CONFIG_HOME!, HCLOUD_TOKEN: HCLOUD_TOKEN! }
    assert.match(succeeded(await run(installed.program, ['location', 'list'], { env })), /hel1/)
  })

  it('leads curl over both versions of HTTP, and nowhere else', async (t) => {
    const curl = findProgram('curl')
    if (!curl) return skipWithout(t, 'curl is missing')
    const { HTTPS_PROXY, CURL_CA_BUNDLE } = proxy.settings
    const env = { HTTPS_PROXY: HTTPS_PROXY!, CURL_CA_BUNDLE: CURL_CA_BUNDLE! }
    const bearer = `Authorization: Bearer ${service.env.HCLOUD_TOKEN}`
    for (const host of ['api.hetzner.cloud', 'api.hetzner.com']) {
      for (const version of ['1.1', '2']) {
        const args = ['-sS', `--http${version}`, '-w', '%{http_version} %{http_code}', '-o', '/dev/null', '-H', bearer]
        assert.equal(succeeded(await run(curl, [...args, `https://${host}/v1/locations`], { env })), `${version} 200`)
      }
    }
    proxy.take()
    const { code } = await run(curl, ['-sS', 'https://example.org/'], { env })
    assert.equal(code, 56)
    assert.deepEqual(proxy.take(), ['example.org:443'])
  })
})

/** The server alone: what needs Pebble is skipped. */
async function withoutPebble(): Promise<AcmeRig> {
  const service = await serve('sqlite')
  const none = () => Promise.reject(new Error('pebble is not installed'))
  return { service, directory: '', root: none, stop: () => service.stop() }
}
