/** RRSets through the API. */
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Platform } from '../../../platform.ts'
import type { rrsetEndpoints } from './contract.ts'
import { getRrset, listRrsets } from './store.ts'
import { rrsetToWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint of RRSets. */
export function rrsetRoutes(platform: Platform): Handlers<typeof rrsetEndpoints> {
  const { db } = platform
  return {
    async listRrsets({ scope, params, query }) {
      const zone = await work.readZone(platform, { scope, params })
      const { rrsets, pagination } = await listRrsets(db.query, scope, zone, query, { type: query.type })
      return { rrsets: rrsets.map((rrset) => rrsetToWire(zone, rrset)), meta: { pagination } }
    },

    async getRrset(call) {
      const zone = await work.readZone(platform, call)
      return { rrset: rrsetToWire(zone, await getRrset(db.query, call.scope, zone, work.keyIn(call))) }
    },

    createRrset: (call) => work.create(platform, call),
    updateRrset: (call) => work.update(platform, call),
    removeRrset: (call) => work.remove(platform, call),
    addRecords: (call) => work.addRecords(platform, call),
    removeRecords: (call) => work.removeRecords(platform, call),
    setRecords: (call) => work.setRecords(platform, call),
    updateRecords: (call) => work.updateRecords(platform, call),
    changeRrsetTtl: (call) => work.changeTtl(platform, call),
    changeRrsetProtection: (call) => work.changeProtection(platform, call),
  }
}
