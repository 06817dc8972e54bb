/** Public addresses that go from server to server. */
import { firstOf, ipv4Of, ipv6Of, ping, type Stage } from './stage.ts'

/** A Floating IP leads to the server that it is assigned to, whatever host that runs on, and to none before and after. */
export async function follows(stage: Stage): Promise<void> {
  const { look, location } = stage.place
  const apart = await stage.apart()
  const [one, two] = await stage.servers({ name: 'one', ...apart }, { name: 'two', ...apart })
  await stage.areApart(one.id, two.id)
  for (const server of [one, two]) await stage.answers(ipv4Of(server), server.name)
  for (const type of ['ipv4', 'ipv6']) {
    const { floating_ip: ip } = await stage.post('/floating_ips', { type, name: type, home_location: location })
    const address = firstOf(ip.ip)
    for (const server of [one, two]) await look.configure(server.id, { address })
    await stage.vanish(ping(address))
    for (const server of [one, two, one]) {
      await stage.post(`/floating_ips/${ip.id}/actions/assign`, { server: server.id })
      await stage.answers(address, server.name)
    }
    await stage.post(`/floating_ips/${ip.id}/actions/unassign`)
    await stage.vanish(ping(address))
  }
}

/** A Primary IP outlives its server, and leads to the next one that it is given to. */
export async function outlives(stage: Stage): Promise<void> {
  const { look, location } = stage.place
  const made = await stage.post('/primary_ips', { type: 'ipv4', name: 'lasting', assignee_type: 'server', location })
  const { id, ip: address } = made.primary_ip
  const [one] = await stage.servers({ name: 'one', public_net: { ipv4: id } })
  await stage.answers(address, 'one')
  const [two] = await stage.servers({ name: 'two', public_net: { enable_ipv4: false } })
  // A guest that has not ended its first boot may keep the addresses that it had then.
  await stage.answers(ipv6Of(two), 'two')
  await stage.delete(`/servers/${one.id}`)
  await stage.vanish(ping(address))
  await stage.command(two.id, 'poweroff')
  await stage.post(`/primary_ips/${id}/actions/assign`, { assignee_id: two.id, assignee_type: 'server' })
  await stage.command(two.id, 'poweron')
  await look.configure(two.id, { address })
  await stage.answers(address, 'two')
}
