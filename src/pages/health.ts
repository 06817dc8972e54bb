/** Whether this server can do its work, for load balancers and supervisors. */
import { answers, type Database } from '../kernel/db.ts'
import { envelope } from '../kernel/edge.ts'
import { ApiError } from '../kernel/errors.ts'
import type { OpenPage } from '../kernel/open-pages.ts'

const type = 'application/json; charset=utf-8'

/** GET /health: 200 while the database answers, 503 `unavailable` otherwise. */
export function healthPage(db: Database): OpenPage {
  return {
    path: '/health',
    isFree: true,
    async answer() {
      if (await answers(db)) return { status: 200, type, body: JSON.stringify({ status: 'ok' }) }
      const refusal = new ApiError('unavailable', 'the database is not available')
      return { status: refusal.status, type, body: envelope(refusal) }
    },
  }
}
