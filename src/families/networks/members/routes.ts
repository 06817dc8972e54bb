/** Members of networks, through the API. */
import type { Handlers, QueryOf } from '../../../kernel/contract/contract.ts'
import { pageOf } from '../../../kernel/resource/listing.ts'
import type { Platform } from '../../../platform.ts'
import { networks } from '../store.ts'
import { membersOf } from './attachments.ts'
import type { memberEndpoints } from './contract.ts'
import { memberToWire, type PlacedMember, placed } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function memberRoutes(platform: Platform): Handlers<typeof memberEndpoints> {
  const { db } = platform
  return {
    async listMembers({ scope, params: { id }, query }) {
      const members = await membersOf(db.query, scope, [id])
      // Read after its members: one whose subnet is not there any more has left meanwhile.
      const network = await networks.get(db.query, scope, id)
      const asked = placed(network, members).filter((one) => isAsked(one, query))
      const { rows, pagination } = pageOf(asked, query, ({ member, at }, field) => {
        return field === 'ip' ? at : member[field as 'id' | 'type' | 'status']
      })
      return { members: rows.map(memberToWire), meta: { pagination } }
    },

    attachToNetwork: (call) => work.attach(platform, call),
    detachFromNetwork: (call) => work.detach(platform, call),
    changeAliasIps: (call) => work.changeAliases(platform, call),
  }
}

/** Whether a request asks for a member. */
function isAsked(
  { member, subnet: { ipRange } }: PlacedMember,
  { type, status, subnet }: QueryOf<typeof memberEndpoints.listMembers>,
): boolean {
  return (
    (type?.includes(member.type) ?? true) &&
    (status?.includes(member.status) ?? true) &&
    (subnet?.includes(ipRange) ?? true)
  )
}
