/** Packet filters. */
import { by, connect, ipv4Of, ipv6Of, type Json, ping, raw, type Stage } from './stage.ts'

const anywhere = ['0.0.0.0/0', '::/0']
const inbound = (protocol: string, port?: string) => ({
  direction: 'in',
  protocol,
  ...(port ? { port } : {}),
  source_ips: anywhere,
})
const outbound = (protocol: string, port?: string) => {
  const { source_ips: destination_ips, ...rule } = inbound(protocol, port)
  return { ...rule, direction: 'out', destination_ips }
}

const setRules = (stage: Stage, firewall: Json, ...rules: readonly object[]) =>
  stage.post(`/firewalls/${firewall.id}/actions/set_rules`, { rules })

/** What no rule accepts is dropped, from outside and from other servers, from the first boot on. */
export async function dropsTheRest(stage: Stage): Promise<void> {
  const rules = [inbound('tcp', '22')]
  const { firewall } = await stage.post('/firewalls', { name: 'wall', rules })
  const firewalls = [{ firewall: firewall.id }]
  const [guarded, open] = await stage.servers({ name: 'guarded', firewalls }, { name: 'open' })
  const [ipv4, ipv6] = [ipv4Of(guarded), ipv6Of(guarded)]
  await stage.answers(ipv4, 'guarded')
  await stage.answers(ipv6, 'guarded')
  await stage.answers(ipv4Of(open), 'open')
  const others = [ping(ipv4), ping(ipv6), connect(ipv4, 80), connect(ipv6, 80), raw(ipv4, 'esp'), raw(ipv4, 'gre')]
  const all = [...others, by(open, ping(ipv4)), by(open, connect(ipv4, 80))]
  await stage.vanish(...all)
  await stage.arrive(by(open, connect(ipv4, 22)), by(guarded, ping(ipv4Of(open))))

  await setRules(stage, firewall, inbound('icmp'), inbound('esp'), inbound('gre'), inbound('tcp', '80-81'))
  await stage.arrive(...all)
  await stage.vanish(connect(ipv4, 22), connect(ipv4, 82))

  await setRules(stage, firewall, inbound('icmp'), outbound('tcp', '443'))
  await stage.arrive(ping(ipv4), by(guarded, connect(ipv4Of(open), 443)))
  await stage.vanish(by(guarded, ping(ipv4Of(open))), by(guarded, connect(ipv4Of(open), 22)))

  await setRules(stage, firewall)
  await stage.vanish(...all, connect(ipv4, 22))
  await stage.command(guarded.id, 'reset')
  await stage.vanish(...all, connect(ipv4, 22))

  const resources = [{ type: 'server', server: { id: guarded.id } }]
  await stage.post(`/firewalls/${firewall.id}/actions/remove_from_resources`, { remove_from: resources })
  await stage.arrive(...all, connect(ipv4, 22))
}
