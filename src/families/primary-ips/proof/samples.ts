import type { World } from '../../../../test/kit/harness.ts'
import { done, type Samples, unique } from '../../../../test/kit/proof.ts'
import { makeServer } from '../../servers/proof.ts'

export const body = (options: object = { location: 'hel1' }) => ({
  name: unique('primary-ip'),
  type: 'ipv4',
  ...options,
})

/** A server that is off, and has no IPv4 address unless the options say otherwise. */
export async function makeStopped(world: World, options: object = {}): Promise<number> {
  return makeServer(world, {
    location: 'hel1',
    start_after_create: false,
    public_net: { enable_ipv4: false },
    ...options,
  })
}

export const withIpv4 = { public_net: {} }

export async function makePrimaryIp({ api, settle }: World, options?: object): Promise<number> {
  const { primary_ip } = await done(api.post('/primary_ips', body(options)))
  await settle()
  return primary_ip.id
}

export async function makeAssigned(world: World): Promise<{ id: number; server: number }> {
  const server = await makeStopped(world)
  return { id: await makePrimaryIp(world, { assignee_id: server }), server }
}

export async function ipOf({ api }: World, id: number): Promise<string> {
  return (await done(api.get(`/primary_ips/${id}`))).primary_ip.ip
}

export const to = (server: number) => ({ assignee_id: server, assignee_type: 'server' })

export const prepare: Samples['prepare'] = async (world) => {
  const server = await makeStopped(world)
  const { primary_ip, action } = await done(world.api.post('/primary_ips', body({ assignee_id: server })))
  await world.settle()
  return { id: primary_ip.id, actionId: action.id }
}

export const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: body() }),
    update: () => ({ body: { name: unique('primary-ip'), labels: { changed: 'yes' }, auto_delete: true } }),
    assign: async (world) => ({
      target: { id: await makePrimaryIp(world) },
      body: to(await makeStopped(world)),
    }),
    changeDnsPtr: async (world, { id }) => ({ body: { ip: await ipOf(world, id), dns_ptr: 'www.example.com' } }),
    async changeServerDnsPtr({ api }, { id }) {
      const { ip, assignee_id } = (await done(api.get(`/primary_ips/${id}`))).primary_ip
      return { target: { id: assignee_id }, body: { ip, dns_ptr: 'www.example.com' } }
    },
    changeProtection: () => ({ body: { delete: true } }),
    async remove({ api, settle }, { id }) {
      await done(api.post(`/primary_ips/${id}/actions/unassign`))
      await settle()
      return {}
    },
  },
}
