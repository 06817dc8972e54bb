import assert from 'node:assert/strict'
import { agree, type Consistency, type Shown, type Snapshot } from '../../../../test/kit/proof.ts'
import { addressIn } from '../domain.ts'
import { certificatesOf } from '../services/domain.ts'

export const consistency: Consistency = {
  resources: 'load_balancer',
  belongs: [
    ['load_balancer_target', 'load_balancer_id', 'load_balancer'],
    ['load_balancer_target', 'server_id', 'server'],
    ['load_balancer_match', 'target_id', 'load_balancer_target'],
    ['load_balancer_match', 'server_id', 'server'],
    ['load_balancer_place', 'id', 'load_balancer'],
    ['load_balancer_place', 'network_id', 'network'],
    ['primary_ip', 'load_balancer_id', 'load_balancer'],
  ],
  async rows(found) {
    for (const { id, former } of await found.all('load_balancer')) {
      assert.equal(former, null, `I10: Load Balancer ${id} remembers what it cannot go back to`)
    }
    for (const table of ['load_balancer_target', 'load_balancer_place'] as const) {
      for (const { id, status } of await found.all(table)) assert.equal(status, 'ok', `${table} ${id} is at rest`)
    }
    await checkAddresses(found)
    await checkCertificates(found)
  },
  /** Load Balancers whose newest state is confirmed are out there as they are wanted, and no others. */
  async world(found, { simulation: { world } }) {
    const states = new Map((await found.all('load_balancer_state')).map((row) => [row.id, row]))
    for (const id of world.loadBalancers.keys()) {
      assert.ok(states.has(id), `I10: Load Balancer ${id} is out there without an owner`)
    }
    const targets = Map.groupBy(await found.all('load_balancer_target'), (row) => row.load_balancer_id)
    const matches = Map.groupBy(await found.all('load_balancer_match'), (row) => row.load_balancer_id)
    for (const row of await found.all('load_balancer')) {
      const wanted = states.get(row.id)
      assert.ok(wanted, `something is desired of Load Balancer ${row.id}`)
      if (wanted.generation_in_force < wanted.generation) continue
      const state = world.loadBalancers.get(row.id)?.state
      const ports = JSON.parse(row.services).map((service: { listenPort: number }) => service.listenPort)
      assert.deepEqual(
        [state?.services.map(({ listenPort }) => listenPort), state?.algorithm, state?.publicAddresses],
        [ports, row.algorithm, row.public_enabled ? [row.ipv4, addressIn(row.ipv6)] : []],
        `Load Balancer ${row.id} is what it should be`,
      )
      const servers = [...(targets.get(row.id) ?? []), ...(matches.get(row.id) ?? [])].map(({ server_id: id }) => id)
      for (const { server } of state?.targets ?? []) {
        assert.ok(server === null || servers.includes(server), `Load Balancer ${row.id} has no target ${server}`)
      }
    }
  },
  async shown(api) {
    const directly = ({ targets }: Shown) =>
      targets.filter(({ type }: Shown) => type === 'server').map(({ server }: Shown) => server.id)
    await agree(api, ['servers', ({ load_balancers: ids }) => ids], ['load_balancers', directly])
    const networksOf = ({ private_net }: Shown) => private_net.map(({ network }: Shown) => network)
    await agree(api, ['networks', ({ load_balancers: ids }) => ids], ['load_balancers', networksOf])
  },
}

/** I4: own addresses are those that the pool says, the others those of Primary IPs. */
async function checkAddresses(found: Snapshot): Promise<void> {
  const balancers = await found.all('load_balancer')
  const claims = (await found.all('address')).filter(({ owner }) => owner?.startsWith('load_balancer:'))
  const own = balancers.flatMap(({ id, project_id, ipv4, ipv6, ipv4_primary, ipv6_primary }) => [
    ...(ipv4_primary === null ? [`${ipv4} load_balancer:${id} ${project_id}`] : []),
    ...(ipv6_primary === null ? [`${ipv6} load_balancer:${id} ${project_id}`] : []),
  ])
  const claimed = claims.map(({ ip, owner, project_id }) => `${ip} ${owner} ${project_id}`)
  assert.deepEqual(claimed.sort(), own.sort(), 'I4: the owner of an address has it, and nobody else')
  const held = (await found.all('primary_ip')).filter((row) => row.load_balancer_id !== null)
  const wanted = balancers.flatMap((row) =>
    [row.ipv4_primary, row.ipv6_primary].flatMap((id) => (id === null ? [] : [`${id} of ${row.id}`])),
  )
  assert.deepEqual(held.map((row) => `${row.id} of ${row.load_balancer_id}`).sort(), wanted.sort())
}

/** Certificates are used by those who have a service with them. */
async function checkCertificates(found: Snapshot): Promise<void> {
  const balancers = await found.all('load_balancer')
  const wanted = balancers.flatMap(({ id, services }) =>
    certificatesOf(JSON.parse(services)).map((certificate) => `${certificate} by ${id}`),
  )
  const known = new Set<number>(balancers.map(({ id }) => id))
  const uses = (await found.all('certificate_use')).filter(({ resource_id: id }) => known.has(id))
  const told = uses.map((row) => `${row.certificate_id} by ${row.resource_id}`)
  assert.deepEqual(told.sort(), wanted.sort(), 'uses of certificates')
}
