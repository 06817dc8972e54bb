/** The commands that the console shows are those requests: real clients run them, and what arrives is compared. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { Refusal } from '../../../console/commands/hcloud/forms.ts'
import { toHcloud } from '../../../console/commands/hcloud/render.ts'
import { hcloudForms } from '../../../console/commands/hcloud/table.ts'
import type { Asked, QueryValue } from '../../../console/commands/request.ts'
import type { Endpoint } from '../../../src/kernel/contract/contract.ts'
import { allEndpoints } from '../../../src/pages/openapi.ts'
import { selected } from '../../kit/samples/pasted.ts'
import { accepted } from '../kit/bodies.ts'
import { endpointsAt, hcloudsBySince, publicKey, run, type Service, serve, skipWithout, token } from '../kit/clients.ts'
import { type Arrived, type Recorder, record } from '../kit/recorder.ts'
import { meaningOf, type Site, settle } from './commands.ts'

interface Row {
  readonly operation: string
  readonly family: string
  readonly endpoint: Endpoint
}

const rowsOf = (endpoints: ReturnType<typeof allEndpoints>): readonly Row[] =>
  endpoints.map(({ family, key, endpoint }) => ({ operation: `${family}_${key}`, family, endpoint }))
const rows = rowsOf(allEndpoints())

let service: Service
let site: Site
let recorder: Recorder

before(async () => {
  service = await serve('memory')
  site = await settle(service)
  recorder = await record(service.env.HCLOUD_ENDPOINT!)
})
after(async () => {
  await recorder?.stop()
  await service?.stop()
})

/** Runs lines of a shell, in a folder of their own, against the gateway. */
async function shell(text: string, path = '') {
  const env = {
    ...service.env,
    ...endpointsAt(recorder.endpoint),
    ...(path === '' ? {} : { PATH: `${path}${delimiter}${process.env.PATH}` }),
  }
  const outcome = await run('sh', ['-c', text], { env, cwd: service.folder })
  for (const file of ['certificate.pem', 'private-key.pem']) rmSync(`${service.folder}/${file}`, { force: true })
  return { ...outcome, arrived: recorder.take() }
}

const labels = { kept: 'yes', old: 'x' }
const boxKey = publicKey()

/** A random valid request of a kind; `isMinimal` leaves out all that may be absent. */
function requests({ operation, family, endpoint }: Row, isMinimal = false): fc.Arbitrary<Asked> {
  const id = site.one[endpoint.path.split('/')[1]!] ?? site.one[family] ?? 1
  const named: Asked['params'] = {
    ...{ rr_name: 'www', rr_type: 'A' },
    ...{ snapshot_id: site.one.snapshots!, subaccount_id: site.one.subaccounts! },
  }
  const params = Object.fromEntries(
    [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name!, named[name!] ?? id]),
  )
  const schema = endpoint.body as { required?: string[]; properties: Record<string, unknown> } | undefined
  const optional = (name: string) => !schema?.required?.includes(name)
  const least = schema && {
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties).filter(([name]) => !optional(name))),
  }
  const body = schema
    ? accepted((isMinimal && endpoint.method === 'POST' ? least : schema) as never, '', site.references)
    : fc.constant(undefined)
  const given = Object.entries(endpoint.query ?? {})
  const needed = /metrics/.test(endpoint.path) ? ['type', 'start', 'end'] : []
  const model = given.filter(([name]) => !isMinimal || needed.includes(name))
  const query = fc.record(Object.fromEntries(model.map(([name, { schema }]) => [name, queryValue(name, schema)])), {
    requiredKeys: needed,
  }) as fc.Arbitrary<Record<string, QueryValue>>
  return fc.record({ body, query }).map(({ body, query }) => ({
    operation,
    params,
    ...(given.length > 0 ? { query } : {}),
    ...(body === undefined ? {} : { body: sensible(operation, body as Record<string, unknown>) }),
  }))
}

const queryValue = (name: string, schema: Readonly<Record<string, unknown>>) => {
  if (name === 'label_selector') return fc.constantFrom('a=b', 'a,!b', 'a in (x,y)')
  if (name === 'type' && 'minItems' in schema)
    return fc.constantFrom(...(schema.items as { enum: string[] }).enum).map((one) => [one])
  if (name === 'start') return fc.constant('2026-11-20T10:00:00Z')
  if (name === 'end') return fc.constant('2026-11-20T11:00:00Z')
  if (name === 'step') return fc.constant('60')
  if (name === 'subnet') return fc.constant(['10.0.0.0/24'])
  return accepted(schema as never, '', {}) as fc.Arbitrary<QueryValue>
}

/** Random fields of a target that do not belong together are no target. */
function sensible(operation: string, body: Record<string, unknown>): Record<string, unknown> {
  const target = ({ type, ...parts }: Record<string, unknown>) => {
    const usual: Record<string, unknown> = {
      server: { id: site.one.servers },
      label_selector: { selector: 'a' },
      ip: { ip: '10.1.0.1' },
    }
    const privately = type === 'ip' || operation.includes('remove') ? {} : { use_private_ip: parts.use_private_ip }
    const more = operation.startsWith('load_balancers') ? privately : {}
    return { type, [type as string]: parts[type as string] ?? usual[type as string], ...more }
  }
  const lists = ['apply_to', 'remove_from', 'targets'].filter((name) => Array.isArray(body[name]))
  const own = /_(add|remove)Target$/.test(operation) ? target(body) : made(operation, body)
  return {
    ...own,
    ...Object.fromEntries(lists.map((name) => [name, (body[name] as Record<string, unknown>[]).map(target)])),
  }
}

/** What the server would refuse for reasons beyond the schema is left out, where clients refuse it too. */
function made(operation: string, { ...body }: Record<string, unknown>): Record<string, unknown> {
  if (operation === 'certificates_create') {
    const isManaged = body.type === 'managed'
    for (const name of isManaged ? ['certificate', 'private_key'] : ['domain_names']) delete body[name]
    const needed = isManaged ? { domain_names: ['example.com'] } : { certificate: 'c\n', private_key: 'k\n' }
    for (const name of Object.keys(needed))
      if ((body[name] as ArrayLike<unknown> | undefined)?.length === 0) delete body[name]
    return { ...needed, ...body }
  }
  if (operation === 'primary_ips_create' && !body.assignee_id) return { ...body, location: body.location ?? 'hel1' }
  if (operation === 'floating_ips_create' && !body.server)
    return { ...body, home_location: body.home_location ?? 'hel1' }
  if (operation === 'load_balancers_addService' && body.protocol === 'tcp') {
    return { protocol: 'tcp', listen_port: body.listen_port ?? 1, destination_port: body.destination_port ?? 1 }
  }
  if (operation === 'load_balancers_addService' && body.protocol === 'https') {
    body.http = { ...(body.http as object), certificates: [site.one.certificates] }
  }
  if (operation === 'servers_create' && body.public_net) {
    // A server has some address; one that it shall not have is not given.
    body.public_net = { ...(body.public_net as object), enable_ipv4: true }
    if ((body.public_net as { enable_ipv6?: boolean }).enable_ipv6 === false) body.public_net = { enable_ipv6: false }
  }
  // hcloud takes no change of these that says nothing.
  if (/^storage_boxes_update.*Access/.test(operation) && Object.keys(body).length === 0) return { ssh_enabled: true }
  if (/^storage_boxes_update(Snapshot|Subaccount)$/.test(operation)) return { description: 'changed', ...body }
  // Boxes have the text of a key, where servers have what is called so.
  if (operation === 'storage_boxes_create' && body.ssh_keys) return { ...body, ssh_keys: [boxKey] }
  if (operation === 'networks_addSubnet' && body.type !== 'vswitch') delete body.vswitch_id
  if (Array.isArray(body.rules)) {
    // Rules have networks on the side of their direction only.
    const side = (rule: Record<string, unknown>) => ({
      ...rule,
      [rule.direction === 'in' ? 'destination_ips' : 'source_ips']: [],
    })
    return { ...body, rules: body.rules.map(side) }
  }
  if (operation === 'zones_create') {
    // hcloud writes names in ASCII, and takes what belongs to the mode.
    delete body[body.mode === 'secondary' ? 'zonefile' : 'primary_nameservers']
    return { ...body, name: 'new.example' }
  }
  if (operation === 'volumes_create') {
    if (!body.server) delete body.automount
    if (!body.server && !body.location) body.location = 'hel1'
  }
  return body
}

/** Changes of a client, and what they say together. */
function together(arrived: readonly Arrived[], shown: string): Arrived {
  const changes = arrived.filter(({ method }) => method !== 'GET')
  const [first] = changes
  assert.ok(first, `nothing arrived: ${shown}`)
  const join = (a: unknown, b: unknown) => (Array.isArray(a) && Array.isArray(b) ? [...a, ...b] : b)
  const body: Record<string, unknown> = {}
  for (const change of changes) {
    for (const [name, value] of Object.entries(change.body ?? {})) body[name] = join(body[name], value)
  }
  for (const { method, path } of changes) assert.deepEqual([method, path], [first.method, first.path])
  return { ...first, body }
}

function filled(path: string, params: Asked['params']) {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params?.[name]))
}

const hcloudFor = await hcloudsBySince()

describe('what the console shows for hcloud', { concurrency: 1 }, () => {
  if (!hcloudFor()) return void it('is what hcloud does', (t) => skipWithout(t, 'hcloud is not installed'))

  const check = async (asked: Asked, { endpoint }: Row): Promise<boolean> => {
    const rendered = toHcloud(asked, { labels })
    if ('reason' in rendered) return false
    const hcloud = hcloudFor(rendered.since)
    if (!hcloud) return false
    // What follows a creation needs what was made.
    const form = hcloudForms[asked.operation]!
    if ('rest' in form && rendered.text.includes(' &&\n')) return false
    const changesLabels = / (add|remove)-label /.test(rendered.text)
    recorder.lets(changesLabels)
    // Of several changes the first is refused as well, which would be the end of them.
    const { stderr, arrived } = await shell(
      quick(selected(rendered.text)).replaceAll(' &&\n', '\n'),
      dirname(hcloud.program),
    )
    if (changesLabels) await restore(endpoint.path, asked)
    const shown = `${JSON.stringify(asked)}\n${rendered.text}\n${stderr}`
    const path = filled(endpoint.path, asked.params)
    const request = endpoint.method === 'GET' ? arrived.find((one) => one.path === path) : together(arrived, shown)
    assert.ok(request, shown)
    assert.deepEqual([request.method, request.path], [endpoint.method, path], shown)
    const meaning = (body: unknown) => meaningOf(body, asked.operation, site)
    assert.deepEqual(meaning(request.body), meaning(asked.body), shown)
    assert.deepEqual(queryOf(request.query), queryOf(pairs(asked)), shown)
    return true
  }

  for (const row of rows) {
    const form = hcloudForms[row.operation]
    // No distribution has the newest yet; the one of this machine may be.
    if (form && !(form instanceof Refusal) && !hcloudFor(form.since)) continue
    it(row.operation, async () => {
      assert.ok(form, 'is not in the table')
      let proven = 0
      const property = fc.asyncProperty(requests(row), async (asked) => {
        fc.pre(await check(asked, row))
        proven++
      })
      if (await check(fc.sample(requests(row, true), { numRuns: 1, seed: 1 })[0]!, row)) proven++
      if (form instanceof Refusal) return assert.equal(proven, 0)
      await fc.assert(property, { numRuns: row.endpoint.body ? 4 : 1, endOnFailure: true, maxSkipsPerRun: 5_000 })
      assert.ok(proven > 0, 'has a form that no request could use')
    })
  }
})

/** Commands that look after their actions more often. */
const quick = (text: string) => text.replaceAll(/(^|\n|\| )hcloud /g, '$1hcloud --poll-interval 5ms ')

/** Gives a resource back what it had. */
async function restore(path: string, { params }: Asked): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const url = service.env.HCLOUD_ENDPOINT + filled(path, params)
  const more = path.startsWith('/primary_ips') ? { auto_delete: false } : {}
  const reply = await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ labels, ...more }) })
  assert.ok(reply.ok, await reply.text())
}

const pairs = ({ query = {} }: Asked) =>
  Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  )

/** hcloud reads all pages, sorts by id where nothing else is asked for, always wants deprecated images, and says no empty path. */
function queryOf(query: Arrived['query']): string[] {
  const ignored = ['page', 'per_page', 'include_deprecated']
  return query
    .filter(
      ([name, value]) =>
        !ignored.includes(name) &&
        !(name === 'sort' && value === 'id:asc') &&
        !(name === 'path' && value === '') &&
        name !== 'step' &&
        value !== 'false',
    )
    .map(([name, value]) => `${name}=${/^\d{4}-.*T/.test(value) ? Date.parse(value) : value}`)
    .sort()
}
