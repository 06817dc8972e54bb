/** The private interfaces of a server: all of them are handed to the driver as one set. */
import { defineDesired } from '../../../kernel/resource/desired.ts'
import { locationOfServer } from '../../servers/reads.ts'
import { interfacesOf } from './interfaces.ts'

export const interfaces = defineDesired({
  table: 'network_interfaces',
  title: 'sets of private interfaces',
  target: 'server',
  async handOver({ query, scope, drivers }, serverId, generation) {
    const [location, all] = await Promise.all([
      locationOfServer(query, scope, serverId),
      interfacesOf(query, scope, serverId),
    ])
    if (location === undefined) return undefined
    const wanted = all
      .filter(({ status }) => status !== 'detaching')
      .map(({ network, ip, aliasIps, mac, subnet, gateway }) => {
        return { networkId: network.id, ip, aliasIps, mac, subnet, gateway }
      })
    await drivers.interfaces.apply({ serverId, location, generation, interfaces: wanted })
    return undefined
  },
})
