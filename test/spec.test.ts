/**
 * Every row of the tables of the spec, led to the running server: its endpoints with their parameters, its errors with
 * their statuses, its limits on both sides. The rows are data in spec/.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { serveOptions } from '../src/config.ts'
import { newFirewall } from '../src/families/firewalls/proof.ts'
import { newServer } from '../src/families/servers/proof.ts'
import { generateToken } from '../src/kernel/access/tokens.ts'
import { declaredCodes } from '../src/kernel/contract/contract.ts'
import { type ErrorCode, statusOf } from '../src/kernel/errors.ts'
import { chain, type Party, party, rsaParty, selfSigned } from './certificates.ts'
import { type Answer, forEachDatabase, type Open, type World } from './harness.ts'
import { neverExisted } from './proof.ts'
import { assertRefused, eras, openStage, prepare, type Ready, type Row, reach, rows } from './requests.ts'
import { expect } from './resources.ts'
import { type EndpointRow, endpointRows, metadataRows } from './spec/endpoints.ts'
import { detailRows, generalRows, specificRows } from './spec/errors.ts'
import { fieldRows, type Kind, selectorRows } from './spec/fields.ts'
import { type LimitName, limitRows } from './spec/limits.ts'
import { nameOf } from './spec/names.ts'

function rowAt(name: string): Row {
  const found = rows.find((row) => row.name === name || `${row.endpoint.method} ${row.endpoint.path}` === name)
  assert.ok(found, `there is no endpoint ${name}`)
  return found
}

/** A world on a day on which the endpoint is there. */
async function openFor(open: Open, row: Row) {
  return openStage(open, eras.find(({ some }) => some.includes(row))!.day)
}

// ---- Endpoints -----------------------------------------------------------------------------------------------------

/** The answer to a request for a list with more in its query. */
function ask({ api }: World, { row, target, sample }: Ready, query: string): Promise<Answer> {
  const path = row.endpoint.path.replace('{id}', String(target.id))
  return api.get(`${path}?${[sample.query, query].filter(Boolean).join('&')}`)
}

async function list(world: World, ready: Ready, query: string): Promise<Record<string, unknown>[]> {
  const { body } = expect(await ask(world, ready, query), 200)
  return Object.values(body).find(Array.isArray) as Record<string, unknown>[]
}

/** What a query parameter does: values that leave nothing, values that every entry then has, values that are none. */
const parameters: Readonly<Record<string, { empty?: string; keeps?: readonly string[]; bad?: string }>> = {
  name: { empty: 'nowhere-dc1' },
  label_selector: { empty: 'nothing-has-this', bad: 'k in (' },
  page: { empty: '1000000', bad: '0' },
  per_page: { bad: '0' },
  id: { bad: 'x' },
  bound_to: { empty: String(neverExisted), bad: 'x' },
  include_deprecated: { bad: 'perhaps' },
  type: { keeps: ['system', 'app', 'snapshot', 'backup'], bad: 'nonsense' },
  architecture: { keeps: ['x86', 'arm'], bad: 'nonsense' },
}

function effectOf({ endpoint }: EndpointRow, name: string) {
  if (endpoint === 'GET /certificates' && name === 'type') return { keeps: ['uploaded', 'managed'], bad: 'nonsense' }
  if (name !== 'status') return parameters[name]
  return { keeps: endpoint === 'GET /images' ? ['available', 'creating'] : ['running', 'success', 'error'], bad: 'x' }
}

async function checkParameter(world: World, ready: Ready, expected: EndpointRow, name: string): Promise<void> {
  const effect = effectOf(expected, name)
  assert.ok(effect, `what ${name} does is not known here`)
  const { empty, keeps = [], bad } = effect
  if (empty) assert.deepEqual(await list(world, ready, `${name}=${empty}`), [], name)
  for (const value of keeps) {
    for (const entry of await list(world, ready, `${name}=${value}`)) assert.equal(entry[name], value)
    await list(world, ready, keeps.map((one) => `${name}=${one}`).join('&'))
  }
  if (bad) checkNames(await ask(world, ready, `${name}=${encodeURIComponent(bad)}`), name)
}

function checkNames(answer: Answer, field: string): void {
  assertRefused(answer, 'invalid_input')
  const { fields } = answer.body.error.details as { fields: { name: string; messages: string[] }[] }
  const named = fields.filter(({ name }) => name === field || /^[.[]/.test(name.slice(field.length)))
  assert.ok(
    named.some(({ messages }) => !messages.includes('unknown field')),
    answer.text,
  )
}

async function checkSort(world: World, ready: Ready, fields: readonly string[]): Promise<void> {
  await prepare(world, ready.row)
  const compare = (a: string | number, b: string | number) => (a < b ? -1 : Number(a > b))
  for (const field of fields) {
    for (const direction of ['', ':asc', ':desc']) {
      const entries = await list(world, ready, `sort=${field}${direction}`)
      // Snapshots and backups have no name.
      const found = entries.map((entry) => entry[field] as string | number | null).filter((value) => value !== null)
      const sign = direction === ':desc' ? -1 : 1
      assert.deepEqual(
        found,
        found.toSorted((a, b) => sign * compare(a, b)),
        field + direction,
      )
    }
  }
  checkNames(await ask(world, ready, 'sort=progress'), 'sort')
}

/** Every field is known: it is judged, and one that is required is missed. */
async function checkBody(world: World, ready: Ready, { required = [], optional = [] }: EndpointRow): Promise<void> {
  const given = ready.sample.body as Record<string, unknown>
  const send = (body: unknown) => ({ ...ready, sample: { ...ready.sample, body } })
  const path = ready.row.endpoint.path.replace('{id}', String(ready.target.id))
  const request = ({ sample }: Ready) => world.api.request(ready.row.endpoint.method, path, { body: sample.body })
  for (const field of required) {
    const { [field]: _, ...rest } = given
    checkNames(await request(send(rest)), field)
  }
  for (const field of [...required, ...optional]) {
    checkNames(await request(send({ ...given, [field]: { nonsense: {} } })), field)
  }
}

async function checkEndpoint(open: Open, expected: EndpointRow): Promise<void> {
  const row = rowAt(expected.endpoint)
  const { world } = await openFor(open, row)
  const ready = await prepare(world, row)
  if (expected.required || expected.optional) await checkBody(world, ready, expected)
  const { status, body } = await ready.send(world.api)
  assert.equal(status, expected.status)
  for (const key of expected.reply) assert.ok(Object.hasOwn(body, key), `the reply has ${key}`)
  for (const name of expected.query ?? []) await checkParameter(world, ready, expected, name)
  if (expected.sort) await checkSort(world, ready, expected.sort)
}

async function checkMetadata(open: Open): Promise<void> {
  const world = await open()
  const id = await newServer(world.api, 'web', { location: 'fsn1' })
  const { server } = (await world.api.get(`/servers/${id}`)).body
  const url = `${await world.app.serveMetadata({ host: '127.0.0.1', port: 0 }, '/hetzner')}/servers/${id}/v1/metadata`
  const { ip } = server.public_net.ipv4
  const summary = `hostname: web\ninstance-id: ${id}\npublic-ipv4: ${ip}\navailability-zone: fsn1-dc14\nregion: eu-central\n`
  const shown = { summary, name: 'web', id: String(id), ipv4: ip, zone: 'fsn1-dc14', region: 'eu-central' }
  for (const { path, shows } of metadataRows) {
    const answer = await fetch(url + path)
    assert.equal(answer.status, 200)
    assert.equal(await answer.text(), { ...shown, 'private networks': '[]' }[shows])
  }
}

// ---- Fields and selectors ------------------------------------------------------------------------------------------

const isTime = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  string: (value) => typeof value === 'string',
  timestamp: isTime,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

function isKind(value: unknown, kind: Kind): boolean {
  return (value === null && kind.endsWith(' or null')) || kinds[kind.replace(' or null', '')]!(value)
}

async function checkFields(open: Open, { at, key, fields }: (typeof fieldRows)[number]): Promise<void> {
  const row = rowAt(at)
  const { world } = await openFor(open, row)
  const { body } = await (await prepare(world, row)).send(world.api)
  const found = key.split('.').reduce((value, part) => value[part], body)
  assert.deepEqual(Object.keys(found).sort(), Object.keys(fields).sort())
  for (const [name, kind] of Object.entries(fields)) assert.ok(isKind(found[name], kind), `${name} is ${kind}`)
}

async function checkSelector(open: Open, { as, selects, not }: (typeof selectorRows)[number]): Promise<void> {
  const { api } = await open()
  const wanted = await newFirewall(api, 'selected', { labels: selects })
  for (const [index, labels] of not.entries()) await newFirewall(api, `left-out-${index}`, { labels })
  for (const text of as) {
    const { body } = await api.get(`/firewalls?label_selector=${encodeURIComponent(text)}`)
    assert.deepEqual(
      body.firewalls.map(({ id }: { id: number }) => id),
      [wanted],
      text,
    )
  }
}

// ---- Errors --------------------------------------------------------------------------------------------------------

const databaseLate = () => {
  throw new Error('Query read timeout')
}

/** The ways to the codes that no single endpoint declares. */
const troubles: Readonly<Partial<Record<ErrorCode, (open: Open) => Promise<Answer>>>> = {
  method_not_allowed: async (open) => (await open()).api.request('PATCH', '/firewalls'),
  async rate_limit_exceeded(open) {
    const { api } = await open({ rateLimit: 1 })
    await api.get('/firewalls')
    return api.get('/firewalls')
  },
  async server_error(open) {
    const faults = { reach: () => Promise.reject(new Error('a bug')) }
    const { api } = await open({ faults })
    return api.put(`/firewalls/${await newFirewall(api, 'f')}`, { name: 'g' })
  },
  async unavailable(open) {
    const { db, client } = await open()
    await db.close()
    return client(generateToken()).get('/firewalls')
  },
  async timeout(open) {
    const { db, api } = await open()
    await api.get('/firewalls')
    Object.defineProperty(db, 'query', { get: databaseLate })
    return api.get('/firewalls')
  },
}

async function lead(open: Open, at: string, code: ErrorCode): Promise<readonly Answer[]> {
  const row = rowAt(at)
  const { world, stage } = await openFor(open, row)
  return reach(world, stage, { row, code })
}

const isUnused = (code: string, at?: Row) =>
  (at ? [at] : rows).every(({ endpoint }) => !declaredCodes(endpoint).has(code as ErrorCode))

async function checkGeneral(open: Open, { status, code, at, unused }: (typeof generalRows)[number]): Promise<void> {
  assert.equal(statusOf(code), status)
  if (unused) return assert.ok(isUnused(code), `${code} can happen by now`)
  const answers = at ? await lead(open, at, code) : [await troubles[code]!(open)]
  for (const answer of answers) assertRefused(answer, code, status)
}

/** Texts as `string`, so that shapes can be compared. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]))
}

async function checkSpecific(open: Open, { at, codes, unused = {} }: (typeof specificRows)[number]): Promise<void> {
  for (const { code, status } of codes) {
    for (const answer of await lead(open, at, code)) assertRefused(answer, code, status)
  }
  for (const code of Object.keys(unused)) assert.ok(isUnused(code, rowAt(at)), `${code} can happen by now`)
}

// ---- Limits --------------------------------------------------------------------------------------------------------

const portRules = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    direction: 'in',
    protocol: 'tcp',
    port: String(i + 1),
    source_ips: ['10.0.0.0/8'],
  }))

/** Uploads a certificate under a name of its own. */
const upload = (api: World['api'], { certificate, private_key }: { certificate: string; private_key: string }) =>
  api.post('/certificates', { name: randomUUID(), certificate, private_key })

/** Each limit from both sides. */
const limits: Readonly<Record<LimitName, (open: Open) => Promise<void>>> = {
  async 'Request rate'(open) {
    assert.equal(serveOptions().find(({ long }) => long === '--rate-limit')?.defaultValue, 3_600)
    const { api } = await open({ rateLimit: 5 })
    for (let i = 0; i < 5; i++) expect(await api.get('/locations'), 200)
    assertRefused(await api.get('/locations'), 'rate_limit_exceeded')
  },
  async 'Rate-limit headers'(open) {
    const { api, anonymous } = await open({ rateLimit: 3_600 })
    for (const { headers } of [await api.get('/locations'), await anonymous.get('/locations'), await api.get('/x')]) {
      assert.equal(headers.get('ratelimit-limit'), '3600')
      assert.match(headers.get('ratelimit-remaining') ?? '', /^\d+$/)
      assert.match(headers.get('ratelimit-reset') ?? '', /^\d{10}$/)
    }
  },
  async per_page(open) {
    const { api } = await open()
    const pages = async (query: string) => expect(await api.get(`/images${query}`), 200).body
    const [all, usual] = [await pages('?per_page=50'), await pages('')]
    assert.deepEqual([all.meta.pagination.per_page, usual.meta.pagination.per_page], [50, 25])
    assert.ok(all.images.length > 25)
    assert.equal(usual.images.length, 25)
    checkNames(await api.get('/images?per_page=51'), 'per_page')
  },
  async page(open) {
    const { api } = await open()
    assert.equal((await api.get('/images')).body.meta.pagination.page, 1)
    assert.equal((await api.get('/images?page=1')).text, (await api.get('/images')).text)
    checkNames(await api.get('/images?page=0'), 'page')
  },
  async 'Label name / value'(open) {
    const { api } = await open()
    const part = 'p'.repeat(63)
    const prefix = [part, part, part, 'p'.repeat(61)].join('.')
    assert.equal(prefix.length, 253)
    const labelled = (key: string, value: string) =>
      api.post('/firewalls', { name: key.slice(-9), labels: { [key]: value } })
    expect(await labelled(`${prefix}/${'n'.repeat(63)}`, 'v'.repeat(63)), 201)
    checkNames(await labelled(`${prefix}p/n`, 'v'), 'labels')
    checkNames(await labelled('n'.repeat(64), 'v'), 'labels')
    checkNames(await labelled('n', 'v'.repeat(64)), 'labels')
  },
  async 'Firewall rules'(open) {
    const { api } = await open()
    const id = await newFirewall(api, 'f')
    const setRules = (count: number) => api.post(`/firewalls/${id}/actions/set_rules`, { rules: portRules(count) })
    expect(await setRules(50), 201)
    checkNames(await setRules(51), 'rules')
    expect(await api.post('/firewalls', { name: 'g', rules: portRules(50) }), 201)
    checkNames(await api.post('/firewalls', { name: 'h', rules: portRules(51) }), 'rules')
  },
  async 'Certificate private key'(open) {
    const { api } = await open()
    const { certificate, private_key } = selfSigned('www.example.com')
    expect(await upload(api, { certificate, private_key: private_key.padEnd(5_000) }), 201)
    checkNames(await upload(api, { certificate, private_key: private_key.padEnd(5_001) }), 'private_key')
  },
  async 'Certificate chain'(open) {
    const { api } = await open()
    const [five, six] = [chain(5), chain(6)]
    expect(await upload(api, { ...five, certificate: five.certificate.padEnd(30_000) }), 201)
    checkNames(await upload(api, { ...five, certificate: five.certificate.padEnd(30_001) }), 'certificate')
    checkNames(await upload(api, six), 'certificate')
  },
  async 'Certificate key sizes'(open) {
    const { api } = await open()
    const give = (leaf: Party) => upload(api, chain(1, leaf))
    for (const bits of [2_048, 3_072, 4_096]) expect(await give(rsaParty('rsa.example.com', bits)), 201)
    for (const curve of ['P-256', 'P-384']) expect(await give(party('ec.example.com', curve)), 201)
    checkNames(await give(rsaParty('rsa.example.com', 2_047)), 'certificate')
    checkNames(await give(party('ec.example.com', 'P-521')), 'certificate')
  },
  async 'Action history'(open) {
    const { api, clock } = await open()
    const { actions } = expect(await api.post('/firewalls', { name: 'f' }), 201).body
    const { id } = actions[0]
    clock.advance(90 * 86_400_000)
    expect(await api.get(`/actions/${id}`), 200)
    clock.advance(1_000)
    expect(await api.get(`/actions/${id}`), 404)
    assert.deepEqual((await api.get(`/actions?id=${id}`)).body.actions, [])
  },
}

// ---- The tests -----------------------------------------------------------------------------------------------------

forEachDatabase('the spec', (open) => {
  for (const row of endpointRows) test(nameOf.endpoint(row), () => checkEndpoint(open, row))
  test(nameOf.metadata(), () => checkMetadata(open))
  for (const row of fieldRows) test(nameOf.fields(row), () => checkFields(open, row))
  for (const row of selectorRows) test(nameOf.selector(row), () => checkSelector(open, row))
  for (const row of generalRows) test(nameOf.general(row), () => checkGeneral(open, row))
  for (const row of detailRows) {
    test(nameOf.details(row), async () => {
      for (const { body } of await lead(open, row.at, row.code)) {
        assert.deepEqual(shapeOf(body.error.details), row.shape)
      }
    })
  }
  for (const row of specificRows) test(nameOf.specific(row), () => checkSpecific(open, row))
  for (const row of limitRows) test(nameOf.limit(row), () => limits[row.limit](open))
})
