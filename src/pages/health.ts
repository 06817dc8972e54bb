/** Health checks for load balancers, supervisors and monitoring. */

import type { Health, Watch } from '../kernel/data/health.ts'
import { statusOf } from '../kernel/errors.ts'
import type { OpenPage } from '../kernel/http/pages/open-pages.ts'
import { version } from '../version.ts'

const type = 'application/json; charset=utf-8'
/** A cached answer would say nothing of the present. */
const headers = { 'cache-control': 'no-store' }

/** The process that the pages are about. */
export interface HealthState {
  /** True once it has been asked to stop, while it still answers. */
  readonly isStopping: boolean
}

/**
 * GET /health is 200 while everything works. GET /health/reads is 200 while reads work, so that a load balancer keeps
 * sending requests while the disk is full. Otherwise, and while the process stops, they are 503 `unavailable`; the body of
 * both lists what works, and has the version. It says whether there is a lab, in which nothing is what it is in production.
 */
export function healthPages(
  { health }: Watch,
  { hasLab, state }: { readonly hasLab: boolean; readonly state: HealthState },
): OpenPage[] {
  const page = (path: string, isWell: (health: Health) => boolean): OpenPage => ({
    path,
    isFree: true,
    async answer() {
      const found = await health()
      const { isStopping } = state
      const status = isStopping ? 'stopping' : statusIn(found)
      const body = { status, ...found, version, ...(hasLab ? { lab: true } : {}) }
      if (isWell(found) && !isStopping) return { status: 200, type, headers, body: JSON.stringify(body) }
      const error = { code: 'unavailable', message: isStopping ? 'this server stops' : troubleIn(found), details: null }
      return { status: statusOf('unavailable'), type, headers, body: JSON.stringify({ ...body, error }) }
    },
  })
  return [
    page('/health', (found) => statusIn(found) === 'ok'),
    page('/health/reads', (found) => statusIn(found) !== 'failing'),
  ]
}

function statusIn({ reads, writes, database }: Health): 'ok' | 'degraded' | 'failing' {
  if (reads === 'failing') return 'failing'
  return writes === 'failing' || database === 'damaged' ? 'degraded' : 'ok'
}

function troubleIn({ reads, database }: Health): string {
  if (reads === 'failing') return 'the database is not available'
  return database === 'damaged' ? 'the database is damaged' : 'the database takes no writes'
}
