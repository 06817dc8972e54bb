/** Reading the audit log and the activity of Projects through the API. */
import type { Principal } from '../access/principal.ts'
import { covers } from '../access/roles.ts'
import { familyOf, pageOfActivity, pageOfStanding } from '../actions/activity.ts'
import { historyStart } from '../actions/history.ts'
import { actionToWire } from '../actions/routes.ts'
import type { Handlers } from '../contract/contract.ts'
import type { Database } from '../data/db.ts'
import type { Clock } from '../process/clock.ts'
import type { auditEndpoints } from './contract.ts'
import { type AuditFilter, pageOfEntries } from './reading.ts'
import { entryToWire } from './view.ts'

/** The Projects that a caller administers; undefined for the operator's automation, which administers all. */
function administered({ actor, roles }: Principal): ReadonlySet<number> | undefined {
  if (actor.kind === 'management') return undefined
  return new Set([...roles].flatMap(([id, role]) => (covers(role, 'admin') ? [id] : [])))
}

/** One handler for each endpoint. */
export function auditRoutes({ db, clock }: { db: Database; clock: Clock }): Handlers<typeof auditEndpoints> {
  const page = async (filter: AuditFilter, { before, per_page }: { before: number | undefined; per_page: number }) => {
    const { rows, next } = await pageOfEntries(db.query, filter, { before, most: per_page })
    return { audit: rows.map(entryToWire), meta: { next } }
  }
  return {
    list: ({ scope, query }) => page({ ...query, projectId: scope.projectId }, query),
    listAll: ({ caller, query }) => page({ ...query, projectId: query.project, whole: administered(caller) }, query),
    async activity({ scope, query: { status, family, since = '', standing, before, per_page } }) {
      const oldest = historyStart(clock.now())
      const filter = { statuses: status, family, since: since > oldest ? since : oldest }
      const page = { before, most: per_page }
      const { rows, next } = await (standing
        ? pageOfStanding(db.query, scope, filter, page)
        : pageOfActivity(db.query, scope, filter, page))
      return { activity: rows.map((action) => ({ ...actionToWire(action), family: familyOf(action) })), meta: { next } }
    },
  }
}
