import type { World } from '../../../../test/kit/harness.ts'
import { type ActionScenario, type ActionScenarios, act, done, unique } from '../../../../test/kit/proof.ts'
import { acrossProjects } from '../../../kernel/data/scoped.ts'
import { createAgain, makeServer } from '../../servers/proof.ts'
import {
  balancerBody,
  balancerOf,
  command,
  makeBalancer,
  makeInside,
  makeSubnet,
  tcp,
  toSelector,
  toServer,
} from './samples.ts'

/** An action of a Load Balancer that is made with `more`. */
const action = (path: string, body?: object, more?: object): ActionScenario => {
  return async (world) => {
    const id = await makeBalancer(world, more)
    return act((api) => command(api, id, path, body))
  }
}

/** The actions of a command that a request started beside its own, by what their input names. */
async function startedBeside({ db }: World, definition: string, balancer: number) {
  const all = acrossProjects(db.query).selectFrom('action').select(['id', 'input']).where('definition', '=', definition)
  const rows = (await all.orderBy('id').execute()).filter(({ input }) => JSON.parse(input).balancer === balancer)
  return rows.slice(-1).map(({ id }) => ({ id, subjects: [balancer] }))
}

export const actions: ActionScenarios = {
  async 'load_balancers/create_load_balancer'(world) {
    const body = balancerBody({ network: await makeSubnet(world), services: [tcp(25)], targets: [toSelector('a=b')] })
    return act(async (api) => {
      for (const { id } of (await done(api.get(`/load_balancers?name=${body.name}`))).load_balancers) {
        await done(api.delete(`/load_balancers/${id}`))
        await world.settle()
      }
      return api.post('/load_balancers', body)
    })
  },
  async 'load_balancers/delete_load_balancer'(world) {
    let next: number | undefined = await makeBalancer(world, { services: [tcp(25)] })
    // One that the data plane kept is deleted all the same: the next time takes another one.
    return act(async (api) => {
      const id = next ?? (await makeBalancer(world))
      next = undefined
      return api.delete(`/load_balancers/${id}`)
    })
  },
  'load_balancers/add_service': action('add_service', tcp(25)),
  'load_balancers/update_service': action(
    'update_service',
    { listen_port: 25, destination_port: 26 },
    { services: [tcp(25)] },
  ),
  'load_balancers/delete_service': action('delete_service', { listen_port: 25 }, { services: [tcp(25)] }),
  async 'load_balancers/add_target'(world) {
    const target = toServer(await makeServer(world))
    return action('add_target', target, { services: [tcp(25)] })(world)
  },
  async 'load_balancers/remove_target'(world) {
    const target = toServer(await makeServer(world))
    return action('remove_target', target, { services: [tcp(25)], targets: [target] })(world)
  },
  'load_balancers/attach_to_network': async (world) =>
    action('attach_to_network', { network: await makeSubnet(world) })(world),
  async 'load_balancers/detach_from_network'(world) {
    const { id, network } = await makeInside(world, { targets: [toSelector('a=b', true)] })
    return act((api) => command(api, id, 'detach_from_network', { network }))
  },
  'load_balancers/change_algorithm': action('change_algorithm', { type: 'least_connections' }),
  'load_balancers/change_load_balancer_type': action('change_type', { load_balancer_type: 'lb21' }),
  'load_balancers/enable_public_interface': action('enable_public_interface'),
  async 'load_balancers/disable_public_interface'(world) {
    const { id } = await makeInside(world)
    return act((api) => command(api, id, 'disable_public_interface'))
  },
  async 'load_balancers/update_targets'(world) {
    // Of its own, so that no other Load Balancer follows.
    const follow = unique('follow')
    const balancer = await makeBalancer(world, { services: [tcp(25)], targets: [toSelector(`follow=${follow}`)] })
    const server = await makeServer(world, { labels: { follow } })
    let isLabelled = true
    return {
      async act(api) {
        isLabelled = !isLabelled
        await done(api.put(`/servers/${server}`, { labels: isLabelled ? { follow } : {} }))
        return startedBeside(world, 'load_balancers/update_targets', balancer)
      },
    }
  },
  async 'load_balancers/change_dns_ptr'(world) {
    const id = await makeBalancer(world)
    const { ip } = (await balancerOf(world.api, id)).public_net.ipv4
    return act((api) => command(api, id, 'change_dns_ptr', { ip, dns_ptr: 'balancer.example.com' }))
  },
  'load_balancers/change_protection': action('change_protection', { delete: true }),
  async 'servers/create_server behind a Load Balancer'(world) {
    const created = unique('created')
    await makeBalancer(world, { services: [tcp(25)], targets: [toSelector(`created=${created}`)] })
    return createAgain(world, { labels: { created } })
  },
  async 'servers/delete_server behind a Load Balancer'(world) {
    const id = await makeServer(world)
    await makeBalancer(world, { services: [tcp(25)], targets: [toServer(id)] })
    return act((api) => api.delete(`/servers/${id}`))
  },
}
