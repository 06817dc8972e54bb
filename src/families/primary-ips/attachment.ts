/** The Primary IPs of a server: one of each type, made with it unless the request says otherwise. */
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Attachment, ServerPart } from '../servers/attachment.ts'
import { type IpType, ipTypes, type PrimaryIp } from './domain.ts'
import { type Claim, claimFor, insertPrimaryIp, primaryIps, primaryIpsOfServers, releasePrimaryIpsOf } from './store.ts'

export const primaryIpAttachment: Attachment = {
  async show(query, scope, serverIds) {
    const ips = Map.groupBy(await primaryIpsOfServers(query, scope, serverIds), ({ serverId }) => serverId)
    return (serverId) => ({ public_net: publicNet(ips.get(serverId) ?? []) })
  },
  async attach(tx, scope, { id, locationId }, { public_net: asked }, { reverseDomain }) {
    const wanted = ipTypes.filter((type) => asked?.[`enable_${type}`] !== false)
    const claims: Claim[] = []
    for (const type of wanted) claims.push(await claimOne(tx, scope, type))
    const given = { name: null, locationId, serverId: id, autoDelete: true, labels: {} }
    for (const claim of claims) await insertPrimaryIp(tx, scope, claim, given, reverseDomain)
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

/** Errors: `resource_unavailable`. */
async function claimOne(tx: Transaction, scope: ProjectScope, type: IpType): Promise<Claim> {
  const claim = await claimFor(tx, scope, type)
  if (!claim) throw new ApiError('resource_unavailable', `no ${type} address is available`)
  return claim
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
