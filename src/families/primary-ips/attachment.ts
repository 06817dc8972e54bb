/** The Primary IPs of a server: one of each type, made with it unless the request says otherwise. */

import type { Transaction } from '../../kernel/data/db.ts'
import { keptParts } from '../../kernel/data/kept.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { after } from '../../kernel/process/at-once.ts'
import { enforceLimit } from '../../kernel/resource/limits.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { noAddressFor } from '../addresses/store.ts'
import type { Attachment, CreateBody, ServerPart } from '../servers/attachment.ts'
import { checkFit, type IpType, ipTypes, type PrimaryIp } from './domain.ts'
import { holdForOwner } from './owners/work.ts'
import {
  addressesOfServer,
  type Claim,
  claimFor,
  insertPrimaryIp,
  primaryIps,
  primaryIpsOfServers,
  releasePrimaryIpsOf,
} from './store.ts'

type PublicNet = NonNullable<CreateBody['public_net']>

const shown = keptParts(
  ({ serverId }: PrimaryIp) => serverId!,
  (ips) => ({ public_net: publicNet(ips) }),
)

export const primaryIpAttachment: Attachment = {
  async placeOf(query, scope, { public_net: asked = {} }) {
    const ids = ipTypes.flatMap((type) => asked[type] ?? [])
    return (await primaryIps.byIds(query, scope, ids))[0]?.locationId
  },
  show: (query, scope, serverIds) => after(primaryIpsOfServers(query, scope, serverIds), shown),
  async limit(tx, scope, { public_net: asked = {} }, limits) {
    const made = typesToMake(asked)
    if (made.length > 0) await enforceLimit(tx, scope, primaryIps, limits, made.length)
  },
  async attach(tx, scope, { id, locationId }, { public_net: asked = {} }, { defaultNames }) {
    const claims: Claim[] = []
    for (const type of typesToMake(asked)) claims.push(await claimOne(tx, scope, type))
    await takeOver(tx, scope, { id, locationId }, asked)
    const given = { name: null, locationId, serverId: id, autoDelete: true, labels: {} }
    for (const claim of claims) await insertPrimaryIp(tx, scope, claim, given, defaultNames)
    return []
  },
  async state(query, scope, serverId) {
    const ips = await addressesOfServer(query, scope, serverId)
    const addressOf = (type: IpType) => ips.find((ip) => ip.type === type)?.ip ?? null
    return { ipv4: addressOf('ipv4'), ipv6: addressOf('ipv6') }
  },
  async serverOf(query, scope, owner) {
    const [type, id] = owner.split(':')
    if (type !== primaryIps.type) return undefined
    return (await primaryIps.find(query, scope, Number(id)))?.serverId ?? undefined
  },
  connects: async (query, scope, serverId) => (await addressesOfServer(query, scope, serverId)).length > 0,
  detach: releasePrimaryIpsOf,
}

/** The types of which a new server gets an address that is made for it. */
function typesToMake(asked: PublicNet): IpType[] {
  return ipTypes.filter((type) => asked[`enable_${type}`] !== false && !asked[type])
}

/** Gives a new server the Primary IPs that it asks for. Errors: `invalid_input` for missing ones; those of `holdForOwner` and `checkFit`. */
async function takeOver(
  tx: Transaction,
  scope: ProjectScope,
  server: { readonly id: number; readonly locationId: number },
  asked: PublicNet,
): Promise<void> {
  const wanted = ipTypes.flatMap((type) => (asked[type] ? [{ type, id: asked[type] }] : []))
  const ids = wanted.map(({ id }) => id)
  const found = await holdForOwner(tx, scope, ids)
  for (const { type, id } of wanted) {
    const primaryIp = found.get(id)
    if (!primaryIp) {
      throw invalidInput([{ field: `public_net.${type}`, message: `primary IP with ID ${id} not found` }])
    }
    checkFit(primaryIp, { type, locationId: server.locationId, elsewhere: 'primary_ip_datacenter_mismatch' })
    await primaryIps.set(tx, scope, id, { server_id: server.id })
  }
}

/** Errors: `resource_unavailable`. */
async function claimOne(tx: Transaction, scope: ProjectScope, type: IpType): Promise<Claim> {
  const claim = await claimFor(tx, scope, type)
  if (!claim) throw noAddressFor(type)
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
