/** The Primary IPs of a server: one of each type, made with it unless the request says otherwise. */
import type { Attachment, ServerPart } from '../servers/attachment.ts'
import type { IpType, PrimaryIp } from './domain.ts'
import { createPrimaryIpFor, primaryIps, primaryIpsOfServers, releasePrimaryIpsOf } from './store.ts'

export const primaryIpAttachment: Attachment = {
  async show(query, scope, serverIds) {
    const ips = Map.groupBy(await primaryIpsOfServers(query, scope, serverIds), ({ serverId }) => serverId)
    return (serverId) => ({ public_net: publicNet(ips.get(serverId) ?? []) })
  },
  async attach(tx, scope, { id, locationId: location }, { public_net: asked }, { reverseDomain }) {
    const { enable_ipv4: ipv4 = true, enable_ipv6: ipv6 = true } = asked ?? {}
    if (ipv4) await createPrimaryIpFor(tx, scope, { id, location }, 'ipv4', reverseDomain)
    if (ipv6) await createPrimaryIpFor(tx, scope, { id, location }, 'ipv6', reverseDomain)
    return []
  },
  async state(query, scope, serverId) {
    const ips = await primaryIpsOfServers(query, scope, [serverId])
    const addressOf = (type: IpType) => ips.find((ip) => ip.type === type)?.ip ?? null
    return { ipv4: addressOf('ipv4'), ipv6: addressOf('ipv6') }
  },
  async serverOf(query, scope, owner) {
    const [type, id] = owner.split(':')
    if (type !== primaryIps.type) return undefined
    return (await primaryIps.find(query, scope, Number(id)))?.serverId ?? undefined
  },
  detach: releasePrimaryIpsOf,
}

function publicNet(ips: readonly PrimaryIp[]): ServerPart['public_net'] & {} {
  const ipv4 = ips.find((ip) => ip.type === 'ipv4')
  const ipv6 = ips.find((ip) => ip.type === 'ipv6')
  const names = (ip: PrimaryIp) => ip.reverseNames.map(({ ip: address, name }) => ({ ip: address, dns_ptr: name }))
  return {
    ipv4: ipv4 ? { id: ipv4.id, ip: ipv4.ip, blocked: false, dns_ptr: ipv4.reverseNames[0]?.name ?? '' } : null,
    ipv6: ipv6 ? { id: ipv6.id, ip: ipv6.ip, blocked: false, dns_ptr: names(ipv6) } : null,
  }
}
