/** Commands of the console that follow each other leave what its button leaves, and those of empty pages work. */
import assert from 'node:assert/strict'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { toHcloud } from '../../../console/commands/hcloud/render.ts'
import { selected } from '../../kit/samples/pasted.ts'
import { type HcloudProgram, hcloudsBySince, publicKey, run, type Service, serve, skipWithout } from '../kit/clients.ts'
import { type Site, settle } from './commands.ts'

type Json = Record<string, unknown>

const hcloudFor = await hcloudsBySince()
const installed = hcloudFor()
const newest = hcloudFor(54)

let service: Service
let site: Site
before(async () => {
  if (!installed) return
  service = await serve('memory')
  site = await settle(service)
  const subnet = { type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.1.0/24' }
  await ask('POST', `/networks/${site.one.networks}/actions/add_subnet`, subnet)
})
after(() => service?.stop())

async function ask(method: string, path: string, body?: unknown): Promise<Json> {
  const { env } = service
  const headers = { authorization: `Bearer ${env.HCLOUD_TOKEN}`, 'content-type': 'application/json' }
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  const reply = await fetch(env.HCLOUD_ENDPOINT + path, init)
  const text = await reply.text()
  assert.ok(reply.ok, `${method} ${path}: ${text}`)
  return JSON.parse(text) as Json
}

async function paste(text: string, { program }: HcloudProgram): Promise<void> {
  const env = {
    ...service.env,
    PASSWORD: '1-secret-PASSW0RD-=)',
    PATH: `${dirname(program)}${delimiter}${process.env.PATH}`,
  }
  const { code, stderr } = await run('sh', ['-ec', selected(text)], { env, cwd: service.folder })
  assert.equal(code, 0, `${text}\n${stderr}`)
}

const ofOneAlone = ['id', 'name', 'created', 'ip', 'public_net', 'health_status', 'protection']

/** What can be the same of two resources. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !ofOneAlone.includes(name))
  return Object.fromEntries(kept.map(([name, one]) => [name, comparable(one)]))
}

/** A resource by its name, once nothing is done to it any more. */
async function settled(family: string, name: string): Promise<Json> {
  let actions: unknown
  do ({ actions } = await ask('GET', `/${family}/actions?status=running`))
  while ((actions as unknown[]).length > 0)
  const found = (await ask('GET', `/${family}?name=${name}`))[family] as Json[]
  assert.equal(found.length, 1)
  return found[0]!
}

/** Makes one resource by commands and one by the request, and compares them. */
async function compare(family: string, body: Json): Promise<void> {
  const rendered = toHcloud({ operation: `${family}_create`, body: { ...body, name: 'pasted' } })
  assert.ok('text' in rendered, JSON.stringify(rendered))
  assert.ok(rendered.text.includes(' &&\n'))
  await paste(rendered.text, installed!)
  await ask('POST', `/${family}`, { ...body, name: 'asked' })
  assert.deepEqual(
    comparable(await settled(family, 'pasted')),
    comparable(await settled(family, 'asked')),
    rendered.text,
  )
}

describe('commands that follow each other', () => {
  if (!installed) return void it('are run', (t) => skipWithout(t, 'hcloud is not installed'))
  const labels = { tier: 'front' }
  const http = {
    protocol: 'http',
    http: { sticky_sessions: true, cookie_name: 'kept', cookie_lifetime: 300 },
    health_check: {
      protocol: 'http',
      port: 8080,
      interval: 7,
      timeout: 3,
      retries: 2,
      http: { path: `/it's$(id)`, status_codes: ['2??', '404'], domain: 'example.com' },
    },
  }

  it('make a network with its subnets and routes', async () => {
    const range = (n: number) => ({ type: 'cloud', network_zone: 'eu-central', ip_range: `10.0.${n}.0/24` })
    const routes = [{ destination: '192.168.0.0/16', gateway: '10.0.1.9' }]
    await compare('networks', { ip_range: '10.0.0.0/8', labels, subnets: [range(1), range(2)], routes })
  })

  it('make a firewall and apply it', async () => {
    const rules = [{ direction: 'in', protocol: 'tcp', port: '22', source_ips: ['0.0.0.0/0'], description: "it's" }]
    const selector = { type: 'label_selector', label_selector: { selector: 'nobody in (a,b),!c' } }
    const apply_to = [{ type: 'server', server: { id: site.one.servers } }, selector]
    await compare('firewalls', { labels, rules, apply_to })
  })

  it('make a Load Balancer with its network, services and targets', async () => {
    const target = { type: 'label_selector', label_selector: { selector: 'nobody' }, use_private_ip: true }
    await compare('load_balancers', {
      labels,
      load_balancer_type: 'lb11',
      location: 'hel1',
      algorithm: { type: 'least_connections' },
      network: site.one.networks,
      public_interface: false,
      services: [http, { protocol: 'tcp', listen_port: 5432, destination_port: 5432, proxyprotocol: true }],
      targets: [target],
    })
  })

  it('add a service with its health check', async () => {
    const params = { id: site.one.load_balancers! }
    const rendered = toHcloud({
      operation: 'load_balancers_addService',
      params,
      body: { ...http, listen_port: 8001, destination_port: 80 },
    })
    assert.ok('text' in rendered)
    await paste(rendered.text, installed)
    const second = { ...http, listen_port: 8002, destination_port: 80 }
    await ask('POST', `/load_balancers/${params.id}/actions/add_service`, second)
    const { services } = await settled('load_balancers', 'lb')
    const [first, ...more] = (services as Json[]).filter(({ listen_port }) => Number(listen_port) > 8000)
    assert.deepEqual(more, [{ ...first, listen_port: 8002 }])
  })

  it('are not those of something else that has such a name or number', async () => {
    const subnets = [{ type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.1.0/24' }]
    const create = (name: string) =>
      toHcloud({ operation: 'networks_create', body: { name, ip_range: '10.0.0.0/8', subnets } })
    assert.deepEqual(create(String(site.one.networks)), { reason: { kind: 'value', what: 'name' } })
    const taken = create('net')
    assert.ok('text' in taken)
    await assert.rejects(paste(taken.text, installed), /uniqueness_error/)
    const { subnets: there } = await settled('networks', 'net')
    assert.equal((there as unknown[]).length, 1)
  })
})

const consoleFolder = new URL('../../../console/', import.meta.url).pathname
const commandsIn = (file: string, form: RegExp) =>
  [...readFileSync(consoleFolder + file, 'utf8').matchAll(form)].map(([, command]) => command!)
/** Those of a Project in which nothing is yet, and those of pages that are empty. */
const steps = commandsIn('words/en/overview.ts', /command:\s*'([^']+)'/g)
const ofEmptyPages = globSync(['words/en/*.ts', 'families/**/*.en.ts'], { cwd: consoleFolder }).flatMap((file) =>
  commandsIn(file, /noneCommand:\s*'(hcloud [^']+)'/g),
)
describe('commands for DNS', () => {
  if (!newest) return

  it('set texts with quotes and import files', async () => {
    const pasteFor = async (operation: string, body: Json, more = {}) => {
      const rendered = toHcloud({ operation, params: { id_or_name: 'zone.example', ...more }, body })
      assert.ok('text' in rendered, JSON.stringify(rendered))
      await paste(rendered.text, newest)
    }
    const set = { rr_name: 'note', rr_type: 'TXT' }
    const value = String.raw`"it's \"$(touch ran)\" ; \`id\` %s"`
    const records = async (name: string) => {
      const { rrsets } = await ask('GET', `/zones/zone.example/rrsets?name=${name}`)
      return (rrsets as Json[])[0]?.records
    }
    await pasteFor('zones_createRrset', { name: 'note', type: 'TXT', ttl: 300, records: [{ value }] })
    assert.deepEqual(await records('note'), [{ value, comment: '' }])
    await pasteFor('zones_setRecords', { records: [{ value, comment: "it's $HOME" }, { value: '"b"' }] }, set)
    assert.deepEqual(await records('note'), [
      { value, comment: "it's $HOME" },
      { value: '"b"', comment: '' },
    ])
    const { zonefile: exported } = await ask('GET', '/zones/zone.example/zonefile')
    const zonefile = `${exported}file 60 IN TXT ${value} ; it's\n`
    await pasteFor('zones_importZonefile', { zonefile })
    assert.deepEqual(((await records('file')) as Json[])[0]?.value, value)
  })
})

/** The minor version that these need, which no distribution has yet. */
function sinceOf(command: string): number {
  if (/^hcloud (zone|primary-ip create .*--location) /.test(command)) return 59
  return command.startsWith('hcloud storage-box ') ? 55 : 0
}
const kindOf = (command: string) => command.split(' ').slice(0, 3).join(' ')

describe('commands to begin with', () => {
  if (!installed) return void it('are run', (t) => skipWithout(t, 'hcloud is not installed'))

  it('make a server that a key opens', async () => {
    mkdirSync(join(service.folder, '.ssh'))
    writeFileSync(join(service.folder, '.ssh/id_ed25519.pub'), publicKey())
    assert.equal(steps.length, 4)
    await paste(steps.join('\n'), installed)
    const { rules } = await settled('firewalls', 'web')
    assert.deepEqual(
      (rules as Json[]).map(({ direction, protocol, port, source_ips }) => [direction, protocol, port, source_ips]),
      [['in', 'tcp', '22', ['0.0.0.0/0', '::/0']]],
    )
    const { status, image, server_type, public_net } = (await settled('servers', 'web-1')) as Record<string, Json>
    assert.deepEqual([status, image?.name, server_type?.name], ['running', 'debian-12', 'cx23'])
    assert.equal((public_net?.firewalls as Json[] | undefined)?.[0]?.status, 'applied')
  })

  // Certificates are issued for names of zones that are here.
  before(() => ask('POST', '/zones', { name: 'example.com', mode: 'primary' }))

  const begun = steps.map(kindOf)
  for (const command of ofEmptyPages.filter((one) => !begun.includes(kindOf(one)))) {
    const program = hcloudFor(sinceOf(command))
    if (!program) continue
    it(command, async () => {
      if (kindOf(command) === 'hcloud zone create') await ask('DELETE', '/zones/example.com')
      await paste(command, program)
    })
  }
})
