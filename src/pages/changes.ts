/** The page of dated API changes. */
import { calendar } from '../calendar.ts'
import { publicBase } from '../kernel/contract/bases.ts'
import type { OpenPage } from '../kernel/http/pages/open-pages.ts'
import type { Clock } from '../kernel/process/clock.ts'

/** GET /v1/changes: the dated changes of the API, each with whether it is in effect. */
export function changesPage(clock: Clock): OpenPage {
  return {
    path: `${publicBase}/changes`,
    async answer() {
      const now = clock.now()
      const changes = calendar.map(({ name, from, fromMs, section, summary, standing = null }) => ({
        name,
        from,
        section,
        summary,
        in_effect: now >= fromMs,
        // All families of the calendar are here.
        waits_for: null,
        standing,
      }))
      return { status: 200, type: 'application/json; charset=utf-8', body: JSON.stringify({ changes }) }
    },
  }
}
