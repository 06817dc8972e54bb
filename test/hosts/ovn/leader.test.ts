/** Promises of a northbound database that is a cluster: its members may end, also the one that leads. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Overlay } from '../../../src/drivers/hosts/overlay/overlay.ts'
import { until } from '../../kit/database/bare-database.ts'
import { OvnSite } from '../kit/ovn.ts'
import { inLab } from '../kit/place.ts'

const servers = [1, 2, 3, 4]
/** How many changes of each server come after the leader has gone. */
const more = 5
const shared = '198.18.9.9'

describe('a clustered database of OVN', inLab, () => {
  let site: OvnSite
  let overlay: Overlay

  before(async () => {
    site = await OvnSite.open(3)
    overlay = await site.overlay()
  })

  after(() => site.close())

  test('takes every change once while its leader is killed, and is followed elsewhere', async () => {
    let rounds = Number.POSITIVE_INFINITY
    let newest = 0
    const fighting = Promise.all(
      servers.map(async (serverId) => {
        for (let generation = 1; generation <= rounds; generation++) {
          newest = Math.max(newest, generation)
          const ips = [`198.18.0.${serverId}`, `198.18.${generation}.${serverId}`, shared]
          await overlay.routing.apply({ serverId, generation, location: 1, ips })
        }
      }),
    )
    await until(async () => overlay.identify(`198.18.2.1`) === 1, 'changes are made')
    await site.killLeader()
    rounds = newest + more
    await fighting

    const { servers: found } = await (await site.overlay()).inventory()
    for (const id of servers) {
      assert.equal(found.get(id)?.generations.routing, rounds)
      const own = [`198.18.0.${id}/32`, `198.18.${rounds}.${id}/32`]
      assert.deepEqual(
        found.get(id)?.routes.filter((route) => route !== `${shared}/32`),
        own,
      )
      for (const route of own) assert.equal((await site.hopsTo(route)).length, 1)
      await until(async () => overlay.identify(`198.18.${rounds}.${id}`) === id, 'the new leader is followed')
      assert.deepEqual([overlay.identify(`198.18.1.${id}`), await site.hopsTo(`198.18.1.${id}/32`)], [undefined, []])
    }
    assert.equal((await site.hopsTo(`${shared}/32`)).length, 1)
    const holders = servers.filter((id) => found.get(id)?.routes.includes(`${shared}/32`))
    assert.deepEqual([holders.length, overlay.identify(shared)], [1, holders[0]])
  })
})
