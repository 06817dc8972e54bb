import assert from 'node:assert/strict'
import { agree, type Consistency } from '../../../../test/kit/proof.ts'
import { checkHolders } from '../../addresses/proof.ts'

export const consistency: Consistency = {
  resources: 'floating_ip',
  belongs: [
    ['floating_ip', 'server_id', 'server'],
    ['floating_ip_routing', 'id', 'server'],
  ],
  rows: (found) => checkHolders(found, 'floating_ip'),
  /** I6: each one leads to the server that it is assigned to, and nowhere else. */
  async world(found, { simulation }) {
    const servers = new Set<number>((await found.all('server')).map(({ id }) => id))
    const routes = [...simulation.world.routes.values()]
    for (const { serverId } of routes) assert.ok(servers.has(serverId), `I10: routes to no server ${serverId}`)
    const assigned = (await found.all('floating_ip')).filter((row) => row.server_id !== null)
    const wanted = assigned.map((row) => `${row.ip} to ${row.server_id}`)
    const actual = routes.flatMap(({ serverId, ips }) => ips.map((ip) => `${ip} to ${serverId}`))
    assert.deepEqual(actual.sort(), wanted.sort(), 'I6: where Floating IPs lead')
  },
  shown: (api) =>
    agree(
      api,
      ['servers', ({ public_net }) => public_net.floating_ips],
      ['floating_ips', ({ server }) => (server === null ? [] : [server])],
    ),
}
