import { answers, type Database } from '../kernel/db.ts'
import type { OpenPage } from '../kernel/http.ts'

/** GET /health: 200 while the database answers, 503 otherwise. */
export function healthPage(db: Database): OpenPage {
  return {
    path: '/health',
    async answer() {
      const healthy = await answers(db)
      const body = JSON.stringify({ status: healthy ? 'ok' : 'unavailable' })
      return { status: healthy ? 200 : 503, type: 'application/json; charset=utf-8', body }
    },
  }
}
