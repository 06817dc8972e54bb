import type { World } from '../../../../test/kit/harness.ts'
import { done, rename, type Samples } from '../../../../test/kit/proof.ts'
import { makeServer } from '../../servers/proof.ts'

export const body = () => ({ type: 'ipv4', home_location: 'hel1' })

export async function makeFloatingIp(
  { api, settle }: World,
  options: object = { home_location: 'hel1' },
): Promise<number> {
  const { floating_ip } = await done(api.post('/floating_ips', { type: 'ipv4', ...options }))
  await settle()
  return floating_ip.id
}

export async function makeAssigned(world: World): Promise<number> {
  return makeFloatingIp(world, { server: await makeServer(world) })
}

export async function ipOf({ api }: World, id: number): Promise<string> {
  return (await done(api.get(`/floating_ips/${id}`))).floating_ip.ip
}

export const prepare: Samples['prepare'] = async (world) => {
  const server = await makeServer(world)
  const { floating_ip, action } = await done(world.api.post('/floating_ips', { type: 'ipv4', server }))
  await world.settle()
  return { id: floating_ip.id, actionId: action.id }
}

export const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: body() }),
    update: rename('floating-ip'),
    assign: async (world) => ({ body: { server: await makeServer(world) } }),
    changeDnsPtr: async (world, { id }) => ({ body: { ip: await ipOf(world, id), dns_ptr: 'www.example.com' } }),
    changeProtection: () => ({ body: { delete: true } }),
    async remove({ api, settle }, { id }) {
      await done(api.post(`/floating_ips/${id}/actions/unassign`))
      await settle()
      return {}
    },
  },
}
