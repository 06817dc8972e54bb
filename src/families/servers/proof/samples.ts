import type { Answer, Client, World } from '../../../../test/kit/harness.ts'
import { done, rename, type Samples, unique } from '../../../../test/kit/proof.ts'

/** The body of a request for a server. */
export function serverBody(name: string, options: object = {}) {
  return { name, server_type: 'cpx22', image: 'debian-12', ...options }
}

/** Creates a server and returns its id; the actions run when the world runs them. */
export async function newServer(api: Client, name: string, options: object = {}): Promise<number> {
  return (await done(api.post('/servers', serverBody(name, options)))).server.id
}

/** A server under a name of its own, at rest. */
export async function makeServer({ api, settle }: World, options: object = {}): Promise<number> {
  const id = await newServer(api, unique('server'), options)
  await settle()
  return id
}

/** A server as it is shown. */
export async function serverOf(api: Client, id: number): Promise<Answer['body']> {
  return (await done(api.get(`/servers/${id}`))).server
}

/** Asks for an action of a server. */
export function command(api: Client, id: number, action: string, body?: unknown): Promise<Answer> {
  return api.post(`/servers/${id}/actions/${action}`, body)
}

/** A server without any network, which nothing can reach. */
export const privateOnly = { public_net: { enable_ipv4: false, enable_ipv6: false }, start_after_create: false }

export const off = { start_after_create: false }

/** Changes the type of the servers made here. */
export const bigger = { server_type: 'cpx32', upgrade_disk: true }

export const prepare: Samples['prepare'] = async ({ api, settle }) => {
  const { server, action } = await done(api.post('/servers', serverBody(unique('server'))))
  await settle()
  return { id: server.id, actionId: action.id }
}

export const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: serverBody(unique('server')) }),
    update: rename('server'),
    createImage: () => ({ body: { description: 'a copy' } }),
    rebuild: () => ({ body: { image: 'debian-13' } }),
    metrics: () => ({ query: 'type=cpu&start=2026-11-21T00:00:00Z&end=2026-11-22T00:00:00Z' }),
    changeType: async (world) => ({ target: { id: await makeServer(world, off) }, body: bigger }),
    enableRescue: () => ({ body: {} }),
    changeProtection: () => ({ body: { delete: true, rebuild: true } }),
    attachIso: () => ({ body: { iso: 8637 } }),
    async addToPlacementGroup(world) {
      const id = await makeServer(world, { start_after_create: false })
      const group = { name: unique('group'), type: 'spread' }
      const { placement_group } = await done(world.api.post('/placement_groups', group))
      return { target: { id }, body: { placement_group: placement_group.id } }
    },
  },
}
