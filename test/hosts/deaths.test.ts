/** Whoever dies, what was asked for is brought about, and nothing is left over. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { untilNothingIsLeft } from '../conformance/place.ts'
import { connect, ipv4Of, type Json, Stage } from '../conformance/stage.ts'
import { clear } from '../conformance/suite.ts'
import { done } from '../kit/proof.ts'
import { isLong } from '../run/long.ts'
import { theLab } from './kit/cluster.ts'
import { freeze, killDaemon, restart, thaw } from './kit/daemons.ts'
import { inLab, type LabPlace, onLab } from './kit/place.ts'
import { openProcess, type ProcessPlace } from './kit/process.ts'

/** When Wolke is killed after a request, in milliseconds, by turns. Every step has its turn in the long run (`steps.test.ts`). */
const moments = [0, 1_000, 300, 100, 2_000, 600, 30, 4_000]

interface Estate {
  readonly server: Json
  readonly volume: Json
  readonly firewall: Json
}

type Request = (stage: Stage, estate: Estate) => [path: string, body?: object]

const rule = { direction: 'in', protocol: 'tcp', port: '22', source_ips: ['0.0.0.0/0', '::/0'] }
/** Requests that each may be met after what the ones before have done. */
const requests: Readonly<Record<string, Request>> = {
  'a server gets a volume': (_, { server, volume }) => [`/volumes/${volume.id}/actions/attach`, { server: server.id }],
  'a filter gets rules': (_, { firewall }) => [`/firewalls/${firewall.id}/actions/set_rules`, { rules: [rule] }],
  'a server restarts': (_, { server }) => [`/servers/${server.id}/actions/reset`],
  'a snapshot is made': (_, { server }) => [`/servers/${server.id}/actions/create_image`, { type: 'snapshot' }],
  'a volume leaves its server': (_, { volume }) => [`/volumes/${volume.id}/actions/detach`],
  'a server is installed anew': ({ place }, { server }) => [
    `/servers/${server.id}/actions/rebuild`,
    { image: place.image },
  ],
}

test('Wolke is killed while it works', inLab, async (t) => {
  const place = await openProcess(theLab())
  const stage = new Stage(place)
  let turn = 0
  /** Sends something, kills Wolke at some moment after it, and sees it through all the same. */
  const survive = async (send: () => Promise<Json>) => {
    const reply = await send()
    await delay(moments[turn++ % moments.length]!)
    await place.kill()
    await place.start()
    await stage.succeed(reply)
  }
  const estate = await makeEstate(stage, place, survive)
  for (const [what, request] of Object.entries(requests)) {
    await t.test(what, async () => {
      await survive(() => done(place.api.post(...request(stage, estate))))
      await stage.answers(ipv4Of(estate.server), 'lasting')
    })
  }
  await t.test('a server is deleted', async () => {
    const reply = await done(place.api.delete(`/servers/${estate.server.id}`))
    await place.kill()
    await place.start()
    await stage.succeed(reply)
  })
  await clear(place)
  await untilNothingIsLeft(place)
})

async function makeEstate(
  stage: Stage,
  { api, location, image, type }: ProcessPlace,
  survive: (send: () => Promise<Json>) => Promise<void>,
): Promise<Estate> {
  const key = await stage.key()
  const { volume } = await stage.post('/volumes', { name: 'data', size: 10, location, format: 'ext4' })
  const { firewall } = await stage.post('/firewalls', { name: 'wall', rules: [rule] })
  const common = { server_type: type, image, location, ssh_keys: [key], firewalls: [{ firewall: firewall.id }] }
  await survive(() => done(api.post('/servers', { name: 'lasting', ...common })))
  const { servers } = await done(api.get('/servers?name=lasting'))
  await stage.answers(ipv4Of(servers[0]), 'lasting')
  return { server: servers[0], volume, firewall }
}

onLab('daemons of a host are killed while they work', async (stage, { lab }) => {
  const [server] = await stage.servers({ name: 'one' })
  const address = ipv4Of(server)
  await stage.answers(address, 'one')
  const name = await stage.place.look.hostOf(server.id)
  const host = lab.members.find((member) => member.name === name)!

  const reset = stage.command(server.id, 'reset')
  await killDaemon(host, '/run/incus.pid')
  await restart(host, 'incus')
  await reset
  await stage.answers(address, 'one')

  const { firewall } = await stage.post('/firewalls', { name: 'wall', rules: [rule] })
  const apply_to = [{ type: 'server', server: { id: server.id } }]
  const [central] = lab.members
  await killDaemon(central!, '/run/ovn/ovnnb_db.pid')
  const applied = stage.post(`/firewalls/${firewall.id}/actions/apply_to_resources`, { apply_to })
  // What is on its way to servers needs no database.
  await stage.arrive(connect(address, 22))
  await restart(central!, 'ovn-central')
  await applied
  await stage.vanish(connect(address, 80))
  await stage.arrive(connect(address, 22))
})

/** It takes until Incus notices, twice. */
async function standStill(stage: Stage, { lab }: LabPlace): Promise<void> {
  const apart = await stage.apart()
  const servers = await stage.servers(...['one', 'two', 'three'].map((name) => ({ name, ...apart })))
  for (const server of servers) await stage.answers(ipv4Of(server), server.name)
  const host = lab.members.at(-1)!
  const hosts = await Promise.all(servers.map(({ id }) => stage.place.look.hostOf(id)))
  const still = servers[hosts.indexOf(host.name)]
  const other = servers.find(({ id }) => id !== still.id)
  freeze(host)
  let reset: Promise<Json>
  try {
    await stage.vanish(connect(ipv4Of(still), 22))
    await stage.arrive(connect(ipv4Of(other), 22))
    reset = stage.command(still.id, 'reset')
    const [elsewhere] = await stage.servers({ name: 'elsewhere' })
    assert.notEqual(await stage.place.look.hostOf(elsewhere.id), host.name)
  } finally {
    thaw(host)
  }
  await reset
  await stage.answers(ipv4Of(still), still.name)
}

if (isLong) onLab('a host stands still, and goes on', standStill)
