import {
  conflict,
  type ErrorScenarios,
  neverExisted,
  type Stage,
  takenName,
  takenTwice,
  unique,
} from '../../../../test/kit/proof.ts'
import { makeServer, privateOnly, serverBody } from '../../servers/proof.ts'
import { apply, create, makeFirewall, prepare, remove, toSelector, toServer } from './samples.ts'

/** A server under as many firewalls as it may have. */
async function makeFullServer(stage: Stage): Promise<number> {
  const id = await makeServer(stage)
  for (let i = 0; i < 5; i++) await makeFirewall(stage, { apply_to: [toServer(id)] })
  await stage.settle()
  return id
}

export const errors: ErrorScenarios = {
  'firewalls.create': {
    uniqueness_error: takenTwice('/firewalls', () => ({ name: unique('firewall') })),
    async server_already_added(stage) {
      const target = toServer(await makeServer(stage))
      return create(stage.api, [target, target])
    },
    incompatible_network_type: async (stage) => create(stage.api, [toServer(await makeServer(stage, privateOnly))]),
    firewall_resource_not_found: ({ api }) => create(api, [toServer(neverExisted)]),
    resource_limit_exceeded: async (stage) => create(stage.api, [toServer(await makeFullServer(stage))]),
  },
  'firewalls.update': {
    uniqueness_error: takenName('firewalls', prepare),
    conflict: conflict('firewalls', 'firewall', prepare),
  },
  'firewalls.remove': {
    async resource_in_use(stage) {
      const id = await makeFirewall(stage, { apply_to: [toSelector('in=use')] })
      return stage.api.delete(`/firewalls/${id}`)
    },
  },
  'firewalls.applyToResources': {
    async firewall_already_applied(stage) {
      const target = toServer(await makeServer(stage))
      return apply(stage.api, await makeFirewall(stage, { apply_to: [target] }), target)
    },
    incompatible_network_type: async (stage) =>
      apply(stage.api, await makeFirewall(stage), toServer(await makeServer(stage, privateOnly))),
    firewall_resource_not_found: async (stage) => apply(stage.api, await makeFirewall(stage), toServer(neverExisted)),
    async resource_limit_exceeded(stage) {
      const id = await makeFullServer(stage)
      return apply(stage.api, await makeFirewall(stage), toServer(id))
    },
  },
  'firewalls.removeFromResources': {
    firewall_resource_not_found: async (stage) =>
      remove(stage.api, await makeFirewall(stage), toServer(await makeServer(stage))),
    async firewall_managed_by_label_selector(stage) {
      const label = unique('managed')
      const server = await makeServer(stage, { labels: { [label]: 'yes' } })
      const id = await makeFirewall(stage, { apply_to: [toSelector(label)] })
      return remove(stage.api, id, toServer(server))
    },
  },
  'servers.create': {
    async resource_limit_exceeded(stage) {
      const firewalls: { firewall: number }[] = []
      for (let i = 0; i < 6; i++) firewalls.push({ firewall: await makeFirewall(stage) })
      return stage.api.post('/servers', serverBody(unique('server'), { firewalls }))
    },
  },
  'servers.update': {
    async resource_limit_exceeded(stage) {
      const label = unique('sixth')
      const id = await makeFullServer(stage)
      await makeFirewall(stage, { apply_to: [toSelector(label)] })
      return stage.api.put(`/servers/${id}`, { labels: { [label]: 'yes' } })
    },
  },
}
