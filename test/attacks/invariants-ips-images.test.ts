/**
 * Random lives of Floating IPs and images, with the servers that they belong to: whatever happens, everything adds up
 * (see lives.ts), and what was answered is what the next read shows.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { serverBody } from '../../src/families/servers/proof.ts'
import type { Answer, Client, World } from '../harness.ts'
import { expect, settleAll } from '../resources.ts'
import { at, idsOf, liveOn, pick } from './lives.ts'

type OnServer = 'poweroff' | 'poweron' | 'enable_backup' | 'disable_backup'

/** Numbers choose among what exists at that moment. */
type Operation =
  | { readonly do: 'create server'; name: number; image: number }
  | { readonly do: 'delete server'; server: number }
  | { readonly do: 'rebuild'; server: number; image: number }
  | { readonly do: OnServer; server: number }
  | { readonly do: 'create image'; server: number; type: 'snapshot' | 'backup'; labels: number }
  | { readonly do: 'convert image'; image: number }
  | { readonly do: 'update image'; image: number; labels: number }
  | { readonly do: 'protect image'; image: number; on: boolean }
  | { readonly do: 'delete image'; image: number }
  | { readonly do: 'create ip'; name: number; type: 'ipv4' | 'ipv6'; server: number | null; labels: number }
  | { readonly do: 'assign'; ip: number; server: number }
  | { readonly do: 'unassign'; ip: number }
  | { readonly do: 'name ip'; ip: number; host: number; reset: boolean }
  | { readonly do: 'update ip'; ip: number; name: number; labels: number }
  | { readonly do: 'protect ip'; ip: number; on: boolean }
  | { readonly do: 'delete ip'; ip: number }
  | { readonly do: 'hours pass'; hours: number }

const labelSets = [{}, { env: 'dev' }, { env: 'prod', tier: '1' }]
const systemImages = ['debian-12', 'debian-13', 'ubuntu-24.04']
const limits = { servers: 4, floating_ips: 6, images: 8 } as const

const operation = (what: Operation['do'], fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ do: fc.constant(what), ...fields }) as fc.Arbitrary<Operation>
const on = fc.boolean()
const createServer = operation('create server', { name: pick, image: pick })
const createImage = operation('create image', {
  server: pick,
  type: fc.constantFrom('snapshot', 'backup'),
  labels: pick,
})
const createIp = operation('create ip', {
  name: pick,
  type: fc.constantFrom('ipv4', 'ipv4', 'ipv6'),
  server: fc.option(pick),
  labels: pick,
})
const assign = operation('assign', { ip: pick, server: pick })
const enableBackup = operation('enable_backup', { server: pick })

liveOn<Operation>('Floating IPs and images add up', {
  operations: [
    createServer,
    createImage,
    createIp,
    assign,
    enableBackup,
    operation('delete server', { server: pick }),
    operation('rebuild', { server: pick, image: pick }),
    operation('poweroff', { server: pick }),
    operation('poweron', { server: pick }),
    operation('disable_backup', { server: pick }),
    operation('convert image', { image: pick }),
    operation('update image', { image: pick, labels: pick }),
    operation('protect image', { image: pick, on }),
    operation('delete image', { image: pick }),
    operation('unassign', { ip: pick }),
    operation('name ip', { ip: pick, host: pick, reset: fc.boolean() }),
    operation('update ip', { ip: pick, name: pick, labels: pick }),
    operation('protect ip', { ip: pick, on }),
    operation('delete ip', { ip: pick }),
    operation('hours pass', { hours: fc.nat({ max: 9 }) }),
  ],
  // Half of a life is making things and bringing them together.
  frequent: [createServer, createServer, createIp, createIp, assign, createImage, createImage, enableBackup],
  // Room for fewer addresses than a Project may have.
  options: { addressPool: ['198.51.100.0/28', '2001:db8::/32'], limits },
  perform,
  checkAnswer,
  checkShown,
  clear,
})

const ownImages = (world: World) => idsOf(world, 'images', '&type=snapshot&type=backup')

async function perform(world: World, step: Operation): Promise<Answer | undefined> {
  const { api, clock, app } = world
  if (step.do === 'hours pass') {
    clock.advance(step.hours * 3_600_000)
    return void (await app.jobs.run())
  }
  const servers = await idsOf(world, 'servers')
  const images = await ownImages(world)
  const image = (choice: number) => at([...systemImages, ...images, ...images], choice)
  if (step.do === 'create server')
    return api.post('/servers', serverBody(`s${step.name}`, { image: image(step.image) }))
  if (step.do === 'create ip') {
    const place =
      step.server === null || servers.length === 0 ? { home_location: 'fsn1' } : { server: at(servers, step.server) }
    const { type, labels } = step
    return api.post('/floating_ips', { type, name: `ip${step.name}`, labels: at(labelSets, labels), ...place })
  }
  if ('ip' in step) return performOnIp(world, step, servers)
  if ('server' in step) {
    if (servers.length === 0) return undefined
    const path = `/servers/${at(servers, step.server)}`
    if (step.do === 'delete server') return api.delete(path)
    if (step.do === 'rebuild') return api.post(`${path}/actions/rebuild`, { image: image(step.image) })
    if (step.do !== 'create image') return api.post(`${path}/actions/${step.do}`)
    return api.post(`${path}/actions/create_image`, { type: step.type, labels: at(labelSets, step.labels) })
  }
  if (images.length === 0) return undefined
  const path = `/images/${at(images, step.image)}`
  if (step.do === 'delete image') return api.delete(path)
  if (step.do === 'convert image') return api.put(path, { type: 'snapshot' })
  if (step.do === 'update image')
    return api.put(path, { description: `d${step.labels}`, labels: at(labelSets, step.labels) })
  return api.post(`${path}/actions/change_protection`, { delete: step.on })
}

async function performOnIp(
  world: World,
  step: Operation & { readonly ip: number },
  servers: readonly number[],
): Promise<Answer | undefined> {
  const { api } = world
  const ips = (await api.get('/floating_ips?per_page=50')).body.floating_ips
  if (ips.length === 0) return undefined
  const { id, ip, type } = at(ips, step.ip) as { id: number; ip: string; type: string }
  const path = `/floating_ips/${id}`
  if (step.do === 'delete ip') return api.delete(path)
  if (step.do === 'update ip') return api.put(path, { name: `ip${step.name}`, labels: at(labelSets, step.labels) })
  if (step.do === 'protect ip') return api.post(`${path}/actions/change_protection`, { delete: step.on })
  if (step.do === 'unassign') return api.post(`${path}/actions/unassign`)
  if (step.do === 'name ip') {
    const address = type === 'ipv4' ? ip : ip.replace('/64', step.host.toString(16))
    const body = { ip: address, dns_ptr: step.reset ? null : `h${step.host}.example.com` }
    return api.post(`${path}/actions/change_dns_ptr`, body)
  }
  if (step.do !== 'assign' || servers.length === 0) return undefined
  return api.post(`${path}/actions/assign`, { server: at(servers, step.server) })
}

/** What a user says of a resource; no action changes it. */
function said({ name, description, labels, protection }: Record<string, unknown>) {
  return { name, description, labels, protection }
}

const shown = { server: 'servers', floating_ip: 'floating_ips', image: 'images' } as const

/** I12: what an answer shows is there for the next read, unless an action has failed by then. */
async function checkAnswer(api: Client, { path, status, body }: Answer): Promise<void> {
  if (status === 204) expect(await api.get(path), 404)
  if (body?.action) expect(await api.get(`/actions/${body.action.id}`), 200)
  for (const [kind, family] of Object.entries(shown)) {
    if (!body?.[kind]) continue
    const { id } = body[kind]
    const found = await api.get(`/${family}/${id}`)
    if (found.status === 404) assert.ok(await wasTakenBack(api, family, id), `${kind} ${id} is gone without a reason`)
    else assert.deepEqual(said(expect(found, 200).body[kind]), said(body[kind]))
  }
}

/** Whether an action about a resource ends in an error; while it unwinds, the resource may be gone already. */
async function wasTakenBack(api: Client, family: string, id: number): Promise<boolean> {
  for (;;) {
    const { actions } = (await api.get(`/${family}/actions?sort=id:desc&per_page=50`)).body
    const about = (actions as { status: string; resources: { id: number }[] }[]).filter(({ resources }) =>
      resources.some((ref) => ref.id === id),
    )
    if (about.every(({ status }) => status !== 'running')) return about.some(({ status }) => status === 'error')
  }
}

/** I5, and an assignment is the same seen from both sides. */
async function checkShown({ api }: World): Promise<void> {
  const { servers } = (await api.get('/servers?per_page=50')).body
  const { floating_ips: ips } = (await api.get('/floating_ips?per_page=50')).body
  assert.ok(servers.length <= limits.servers && ips.length <= limits.floating_ips, 'I5: no more than the limit')
  const fromServers = servers.flatMap(
    ({ id, public_net: net }: { id: number; public_net: { floating_ips: number[] } }) =>
      net.floating_ips.map((ip) => `${ip} ${id}`),
  )
  const fromIps = ips.flatMap(({ id, server }: { id: number; server: number | null }) =>
    server ? [`${id} ${server}`] : [],
  )
  assert.deepEqual(fromServers.sort(), fromIps.sort())
}

async function clear(world: World): Promise<void> {
  const { api, app } = world
  for (const id of await idsOf(world, 'servers')) expect(await api.delete(`/servers/${id}`), 200)
  await settleAll(world)
  assert.deepEqual(await idsOf(world, 'images', '&type=backup'), [], 'backups go with their server')
  for (const id of await ownImages(world)) {
    expect(await api.post(`/images/${id}/actions/change_protection`, { delete: false }), 201)
    expect(await api.delete(`/images/${id}`), 204)
  }
  for (const id of await idsOf(world, 'floating_ips')) {
    expect(await api.post(`/floating_ips/${id}/actions/change_protection`, { delete: false }), 201)
    expect(await api.delete(`/floating_ips/${id}`), 204)
  }
  // What could not be removed when it should have been is removed now.
  await settleAll(world)
  await app.jobs.run()
}
