/** Members of networks, through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import { spansOf } from '../domain.ts'
import { networks } from '../store.ts'
import { pageOfMembers } from './attachments.ts'
import type { memberEndpoints } from './contract.ts'
import { membersToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function memberRoutes(platform: Platform): Handlers<typeof memberEndpoints> {
  const { db } = platform
  return {
    async listMembers({ scope, params: { id }, query: { subnet, ...asked } }) {
      const spans = subnet && spansOf(await networks.get(db.query, scope, id), subnet)
      const { rows, pagination } = await pageOfMembers(db.query, scope, id, { ...asked, spans })
      // Read after its members: one whose subnet is not there any more has left meanwhile.
      const network = await networks.get(db.query, scope, id)
      return { members: membersToWire(network, rows), meta: { pagination } }
    },

    attachToNetwork: (call) => work.attach(platform, call),
    detachFromNetwork: (call) => work.detach(platform, call),
    changeAliasIps: (call) => work.changeAliases(platform, call),
  }
}
