import { type ActionScenarios, act, done } from '../../../../test/kit/proof.ts'
import { createAgain, makeServer } from '../../servers/proof.ts'
import { allow, apply, makeFirewall, remove, toServer } from './samples.ts'

export const actions: ActionScenarios = {
  async 'servers/create_server under a firewall'(world) {
    return createAgain(world, { firewalls: [{ firewall: await makeFirewall(world) }] })
  },
  async 'servers/delete_server under a firewall'(world) {
    const id = await makeServer(world)
    await makeFirewall(world, { apply_to: [toServer(id)] })
    await world.settle()
    return act((api) => api.delete(`/servers/${id}`))
  },
  async 'firewalls/apply_firewall'(world) {
    const [server, firewall] = [await makeServer(world), await makeFirewall(world)]
    return act((api) => apply(api, firewall, toServer(server)))
  },
  async 'firewalls/remove_firewall'(world) {
    const target = toServer(await makeServer(world))
    const firewall = await makeFirewall(world, { apply_to: [target] })
    await world.settle()
    let isApplied = true
    return act(async (api) => {
      // One that could not be removed from the server is wanted no longer all the same: it is put back to go again.
      if (!isApplied) {
        await done(apply(api, firewall, target))
        await world.settle()
      }
      isApplied = false
      return remove(api, firewall, target)
    })
  },
  async 'firewalls/set_firewall_rules'(world) {
    const firewall = await makeFirewall(world, { apply_to: [toServer(await makeServer(world))] })
    await world.settle()
    let port = 1000
    return act((api) => api.post(`/firewalls/${firewall}/actions/set_rules`, { rules: [allow(String(++port))] }))
  },
}
