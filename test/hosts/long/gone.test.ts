/** A host that is gone: what it has no part in goes on, and what waits for it says so. Incus notices after seconds. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ClusterMember } from '../../../src/drivers/hosts/members.ts'
import { until } from '../../kit/database/bare-database.ts'
import { theLab } from '../kit/cluster.ts'
import { freeze, thaw } from '../kit/daemons.ts'
import { type LabHosts, labHosts, newId, Servers } from '../kit/drivers.ts'
import { inLab } from '../kit/place.ts'

async function statusOf({ incus }: LabHosts, member: string): Promise<string | undefined> {
  const members = await incus.list<ClusterMember>('/1.0/cluster/members?recursion=1')
  return members.find(({ server_name: name }) => name === member)?.status
}

test(
  'while a host is gone, servers and volumes of others are made and removed, and calls that need it name it',
  inLab,
  async () => {
    const hosts = await labHosts()
    const { volumes, networks } = hosts.machines
    const servers = new Servers(hosts)
    const last = theLab().members.at(-1)!
    const [one, other, there, volume] = [newId(), newId(), newId(), newId()]
    const placementGroup = newId()
    for (const id of [one, other, there]) await servers.apply(id, { placementGroup })
    const places = await Promise.all([one, other, there].map((id) => servers.hostOf(id)))
    const held = [one, other, there][places.indexOf(last.name)]!
    after(() => thaw(last))
    freeze(last)
    await until(async () => (await statusOf(hosts, last.name)) === 'Offline', `${last.name} is gone`)

    await volumes.apply({ id: volume, location: 1, generation: 1, sizeGb: 10, format: null })
    await volumes.remove(volume, 2)
    const added = newId()
    await servers.apply(added)
    await servers.remove(added)
    const gone = { message: `the host ${last.name} is gone`, transient: true }
    await assert.rejects(servers.remove(held), gone)
    const shape = { ipRange: '10.0.0.0/16', subnets: [], routes: [], exposesRoutes: false }
    const network = newId()
    await assert.rejects(networks.apply({ id: network, generation: 1, shape }), gone)

    thaw(last)
    await until(async () => (await statusOf(hosts, last.name)) === 'Online', `${last.name} is there again`)
    await networks.apply({ id: network, generation: 2, shape: null })
    await servers.remove(one, other, there)
  },
)
