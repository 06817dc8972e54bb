/** The private interfaces of a server: all of them are handed to the driver as one set. */
import { type Desired, defineDesired } from '../../../kernel/resource/desired.ts'
import { state } from '../desired.ts'
import { subnetAround, subnetGateway } from '../domain.ts'
import type { PrivateInterface } from '../driver.ts'
import { networks } from '../store.ts'
import { macOf } from './domain.ts'
import { membershipsOf } from './store.ts'

export const interfaces: Desired = defineDesired({
  table: 'network_interfaces',
  title: 'sets of private interfaces',
  target: 'server',
  async enforce(world, serverId) {
    const { query, scope, drivers } = world
    const generation = await interfaces.generation(query, scope, serverId)
    if (generation === undefined) return undefined
    const members = (await membershipsOf(query, scope, [serverId])).filter(({ status }) => status !== 'detaching')
    const ids = members.map(({ networkId }) => networkId)
    // A network that was just made may not be out there yet.
    for (const id of await state.pending(query, scope, ids)) await state.enforce(world, id)
    const known = new Map((await networks.byIds(query, scope, ids)).map((network) => [network.id, network]))
    const wanted = members.flatMap(({ networkId, ip, aliasIps }): PrivateInterface[] => {
      const network = known.get(networkId)
      const subnet = network && subnetAround(network.subnets, ip)
      if (!subnet) return []
      const gateway = subnetGateway(network, subnet)
      return [{ networkId, ip, aliasIps, mac: macOf(ip), subnet: subnet.ipRange, gateway }]
    })
    await drivers.interfaces.apply({ serverId, generation, interfaces: wanted })
    return { generation }
  },
})
