/** Hosts are kept as the database wants them: what was lost comes back, and what nobody wants goes after it was told. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { balancerName } from '../../src/drivers/hosts/balancers/instance.ts'
import { networkName, serverName, volumeName } from '../../src/drivers/hosts/names.ts'
import { openLog } from '../../src/kernel/process/log.ts'
import { type Config, editInstance } from '../../src/protocols/incus/edit.ts'
import { Reconciler } from '../../src/reconcile/execute.ts'
import { nameOf, type ReconciledHosts } from '../../src/reconcile/inventory.ts'
import { planFor } from '../../src/reconcile/plan.ts'
import { ipv4Of, Stage } from '../conformance/stage.ts'
import { until } from '../kit/database/bare-database.ts'
import { done } from '../kit/proof.ts'
import { ask } from '../load-balancers/kit/clients.ts'
import { program } from '../program/kit/program.ts'
import { hostsOptionsOf, theLab } from './kit/cluster.ts'
import { type LabHosts, labHosts, newId, Servers } from './kit/drivers.ts'
import { onHost } from './kit/guests.ts'
import { inLab, type LabPlace, onLab } from './kit/place.ts'
import { openProcess, prepare } from './kit/process.ts'

const installation = 'keeping'
const silent = openLog('silent')

/** The hosts of a place, as a reconciler knows them. */
async function kept({ api, location }: LabPlace, hosts: LabHosts): Promise<ReconciledHosts & LabHosts> {
  const { locations } = await done(api.get(`/locations?name=${location}`))
  const [{ id, network_zone: zone }] = locations
  return Object.assign({}, hosts, { name: 'lab', locations: new Set([id]), networkZones: new Set([zone]) })
}

function reconcilerOf({ world }: LabPlace, hosts: ReconciledHosts, graceMs: number): Reconciler {
  const { db, secrets, simulation, clock } = world
  const drivers = { ...simulation.drivers, ...hosts.machines }
  return new Reconciler({ db, secrets, drivers, clock, log: silent, hosts: [hosts], installation, graceMs })
}

onLab('what hosts have lost is made again, with everything that hangs on it', async (stage, place) => {
  const lab = await labHosts()
  const hosts = await kept(place, lab)
  const { incus } = lab
  const { network } = await stage.post('/networks', {
    name: 'inside',
    ip_range: '10.7.0.0/16',
    subnets: [{ type: 'cloud', ip_range: '10.7.1.0/24', network_zone: 'eu-central' }],
  })
  const [server] = await stage.servers({ name: 'lost', networks: [network.id] })
  const { volume } = await stage.post('/volumes', { name: 'data', size: 10, server: server.id, format: 'ext4' })
  const file = `/mnt/HC_Volume_${volume.id}/kept`
  await place.look.write(server.id, file, 'mine')
  assert.deepEqual((await planFor(place.world.db.query, hosts)).differing, [])

  const path = `/1.0/instances/${serverName(server.id)}`
  await incus.change('PUT', `${path}/state`, { action: 'stop', force: true })
  await incus.change('DELETE', path)
  await incus.change('DELETE', `/1.0/networks/${networkName(network.id)}`)
  await reconcilerOf(place, hosts, 0).run()

  await stage.answers(ipv4Of(server), 'lost')
  assert.equal(await place.look.read(server.id, file), 'mine')
  const instance = await incus.get<{ devices: object }>(path)
  assert.ok(networkName(network.id) in instance!.value.devices)
  assert.deepEqual((await planFor(place.world.db.query, hosts)).differing, [])
})

onLab('a Load Balancer that is lost or another one than is wanted is told of, and made again', async (stage, place) => {
  const lab = await labHosts()
  const hosts = await kept(place, lab)
  const { incus } = lab
  const body = { name: 'web', load_balancer_type: 'lb11', location: place.location }
  const services = [{ protocol: 'http', listen_port: 80, destination_port: 80 }]
  const { load_balancer: balancer } = await stage.post('/load_balancers', { ...body, services })
  const differing = async () => {
    const found = await planFor(place.world.db.query, hosts)
    return found.differing.map(({ desired, row, is }) => `${desired.target} ${row.id} ${is}`)
  }
  const repair = async () => {
    await reconcilerOf(place, hosts, 0).run()
    assert.deepEqual(await differing(), [])
  }
  assert.deepEqual(await differing(), [])

  const path = `/1.0/instances/${balancerName(balancer.id)}`
  await incus.change('PUT', `${path}/state`, { action: 'stop', force: true })
  await incus.change('DELETE', path)
  assert.deepEqual(await differing(), [`load_balancer ${balancer.id} missing`])
  await repair()
  const { status } = await ask({ host: balancer.public_net.ipv4.ip, port: 80 })
  assert.equal(status, 503, 'it answers, and has no targets')

  const change = (edit: (config: Config) => Config) =>
    editInstance(incus, balancerName(balancer.id), ({ config }) => ({ config: edit(config) }))
  await change((config) => ({ ...config, 'user.wolke.generation': '0' }))
  assert.deepEqual(await differing(), [`load_balancer ${balancer.id} of another generation`])
  await repair()

  await change((config) => Object.fromEntries(Object.entries(config).filter(([key]) => !key.startsWith('user.wolke.'))))
  const { unmarked } = await planFor(place.world.db.query, hosts)
  assert.deepEqual(unmarked.map(nameOf), [`load balancer ${balancer.id}`])
  for (const thing of unmarked) await hosts.remark(thing)
  await repair()
  assert.deepEqual((await planFor(place.world.db.query, hosts)).unmarked, [])
})

onLab(
  'what nobody wants is removed once the time has passed, and what Wolke did not make is left alone',
  async (_, place) => {
    const lab = await labHosts()
    const hosts = await kept(place, lab)
    const { incus, machines } = lab
    const servers = new Servers(lab)
    const [server, volume] = [newId(), newId()]
    await servers.apply(server)
    await machines.volumes.apply({ id: volume, location: 1, generation: 3, sizeGb: 10, format: null })
    const pool = `/1.0/storage-pools/${theLab().names.pool}/volumes/custom`
    const foreign = volumeName(newId())
    await incus.change('POST', pool, { name: foreign, type: 'custom', content_type: 'filesystem', config: {} })
    const orphans = async () => {
      const { things } = await lab.inventory()
      return things.map(nameOf).filter((name) => [`server ${server}`, `volume ${volume}`].includes(name))
    }
    try {
      await hosts.claim('another')
      const late = reconcilerOf(place, hosts, 0)
      for (let round = 0; round < 3; round++) await late.run()
      assert.equal((await orphans()).length, 2, 'another installation may want them')

      await hosts.claim(installation)
      const patient = reconcilerOf(place, hosts, 60_000)
      for (let round = 0; round < 3; round++) await patient.run()
      assert.equal((await orphans()).length, 2, 'the time has not passed')

      const reconciler = reconcilerOf(place, hosts, 0)
      await reconciler.run()
      assert.equal((await orphans()).length, 2, 'nothing is removed that was seen once')
      await reconciler.run()
      assert.deepEqual(await orphans(), [])
      assert.ok(await incus.get(`${pool}/${foreign}`))
    } finally {
      await incus.change('DELETE', `${pool}/${foreign}`)
    }
  },
)

onLab('a server that has lost its marks is found by its name, and marked again', async (stage, place) => {
  const lab = await labHosts()
  const hosts = await kept(place, lab)
  const [server] = await stage.servers({ name: 'unmarked' })
  await editInstance(lab.incus, serverName(server.id), ({ config }) => {
    const { 'user.wolke.id': _id, 'user.wolke.generation': _generation, ...others } = config
    return { config: others }
  })
  const { unmarked } = await planFor(place.world.db.query, hosts)
  assert.deepEqual(unmarked.map(nameOf), [`server ${server.id}`])
  for (const thing of unmarked) await lab.remark(thing)
  const after = await planFor(place.world.db.query, hosts)
  assert.deepEqual([after.unmarked, after.differing], [[], []])
})

test(
  'an operator is told of a Load Balancer that is lost, and Wolke makes it again when it starts',
  inLab,
  async () => {
    const place = await openProcess(theLab())
    const stage = new Stage(place)
    const body = { name: 'web', load_balancer_type: 'lb11', location: place.location }
    const { load_balancer: balancer } = await stage.post('/load_balancers', body)
    const differences = async () =>
      (await place.differences())
        .filter((line) => line.includes(`${balancer.id}`))
        .map((line) => line.split('\t').slice(1))
    assert.deepEqual(await differences(), [])
    await place.kill()
    await onHost(theLab().members[0]!, 'incus', 'delete', '--force', balancerName(balancer.id))
    assert.deepEqual(await differences(), [[`load_balancer ${balancer.id}: Load Balancers`, 'missing']])
    await place.start()
    await until(async () => (await differences()).length === 0, 'the Load Balancer is there again')
    await stage.delete(`/load_balancers/${balancer.id}`)
    assert.deepEqual(await differences(), [])
  },
)

test('an operator sees whether hosts can be used, and what is on them that nobody wants', inLab, async () => {
  const { folder, command } = program('keeping')
  const file = join(folder, 'wolke.db')
  await prepare(file)
  const options = hostsOptionsOf(theLab())
  const checked = await command('infrastructure', 'check', ...options)
  assert.equal(checked.code, 0, checked.stderr + checked.stdout)
  for (const { name } of theLab().members) assert.match(checked.stdout, new RegExp(`host ${name}\tok\tOnline`))
  assert.match(checked.stdout, /OVN\tok/)

  const { machines } = await labHosts()
  const id = newId()
  await machines.volumes.apply({ id, location: 1, generation: 1, sizeGb: 10, format: null })
  const database = ['--database', `sqlite:${file}`]
  const seen = await command('infrastructure', 'diff', ...database, ...options)
  const adopted = await command('infrastructure', 'adopt', ...database, ...options)
  await machines.volumes.remove(id, 2)
  assert.equal(seen.code, 1, seen.stderr)
  assert.match(seen.stdout, new RegExp(`volume ${id}\twanted by nobody`))
  assert.equal(adopted.code, 0, adopted.stderr)
  assert.match(adopted.stdout, /hosts\ttaken over/)
  assert.match(adopted.stdout, new RegExp(`volume ${id}\twanted by nobody`))
})
