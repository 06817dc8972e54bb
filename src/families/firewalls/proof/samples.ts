import type { Client, World } from '../../../../test/kit/harness.ts'
import { done, type References, rename, type Samples, unique } from '../../../../test/kit/proof.ts'
import { serverBody } from '../../servers/proof.ts'

/** What a firewall says of where it is applied. */
export const appliedTo = async (api: Client, id: number) => (await api.get(`/firewalls/${id}`)).body.firewall.applied_to

/** Creates a firewall and returns its id. */
export async function newFirewall(api: Client, name: string, options: object = {}): Promise<number> {
  return (await done(api.post('/firewalls', { name, ...options }))).firewall.id
}

export const toServer = (id: number) => ({ type: 'server', server: { id } })
export const toSelector = (selector: string) => ({ type: 'label_selector', label_selector: { selector } })

/** Puts servers behind a new firewall, and waits for it. */
export async function guard(
  { api, settle }: World,
  name: string,
  rules: object[],
  servers: readonly { readonly id: number }[],
): Promise<void> {
  await newFirewall(api, name, { rules, apply_to: servers.map(({ id }) => toServer(id)) })
  await settle()
}

/** How a firewall shows a selector with the servers that it matches. */
export const bySelector = (selector: string, ...servers: number[]) => ({
  ...toSelector(selector),
  applied_to_resources: servers.map(toServer),
})

/** An inbound rule for one port. */
export function allow(port: string, sources: readonly string[] = ['0.0.0.0/0', '::/0']) {
  return { direction: 'in', protocol: 'tcp', port, source_ips: sources }
}

const rules = [allow('22')]

export const makeFirewall = ({ api }: World, options: object = {}) =>
  newFirewall(api, unique('firewall'), { rules, ...options })

export const prepare: Samples['prepare'] = async ({ api }) => {
  const { firewall, actions } = await done(api.post('/firewalls', { name: unique('firewall'), rules }))
  return { id: firewall.id, actionId: actions[0].id }
}

export const create = (client: Client, apply_to: object[]) =>
  client.post('/firewalls', { name: unique('firewall'), apply_to })

/** An action as it is shown. */
interface Told {
  readonly id: number
  readonly command: string
  readonly status: string
  readonly resources: readonly { id: number; type: string }[]
}

/** Commands with the resources they name, without the ids of selectors, which nobody can know. */
export const told = (actions: readonly Told[]) =>
  actions.map(({ command, resources }) => [
    command,
    ...resources.map(({ type, id }) => (type === 'label_selector' ? type : `${type} ${id}`)),
  ])

/** Asks for a firewall to be applied to targets. */
export const apply = (api: Client, id: number, ...targets: unknown[]) =>
  api.post(`/firewalls/${id}/actions/apply_to_resources`, { apply_to: targets })

/** Asks for a firewall to be removed from targets. */
export const remove = (api: Client, id: number, ...targets: unknown[]) =>
  api.post(`/firewalls/${id}/actions/remove_from_resources`, { remove_from: targets })

/** Asks for other rules of a firewall. */
export const setRules = (api: Client, id: number, rules: unknown[]) =>
  api.post(`/firewalls/${id}/actions/set_rules`, { rules })

/** The inbound ports that are open at a server now; undefined when it has no filter. */
export const openPorts = ({ simulation }: World, id: number) =>
  simulation.world.filters.get(id)?.inbound.accept.flatMap(({ ports }) => (ports ? [ports.first] : []))

/** The newest actions that name a server. */
export const actionsOf = async (api: Client, id: number): Promise<Told[]> =>
  (await done(api.get(`/servers/${id}/actions?sort=id`))).actions

export const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: { name: unique('firewall'), rules } }),
    update: rename('firewall'),
    setRules: () => ({ body: { rules: [allow('80')] } }),
    applyToResources: () => ({ body: { apply_to: [toSelector('sample=applied')] } }),
    async removeFromResources({ api }, { id }) {
      const target = toSelector('sample=removed')
      await done(apply(api, id, target))
      return { body: { remove_from: [target] } }
    },
  },
}

export const references: References = {
  'firewalls.create': { family: 'servers', body: (id) => ({ name: unique('firewall'), apply_to: [toServer(id)] }) },
  'firewalls.applyToResources': { family: 'servers', body: (id) => ({ apply_to: [toServer(id)] }) },
  'firewalls.removeFromResources': { family: 'servers', body: (id) => ({ remove_from: [toServer(id)] }) },
  'servers.create firewalls': {
    family: 'firewalls',
    body: (id) => serverBody(unique('server'), { firewalls: [{ firewall: id }] }),
  },
}
