/** The report that is asked for: of which run, and whose requests it is about. */
import { apiOf } from '../../api/api.ts'
import type { AnyRequest, ReplyFor } from '../../api/operations.ts'

export const api = apiOf(undefined)

export type Report = ReplyFor<'lab_getReport'>['report']
export type Run = ReplyFor<'lab_listRuns'>['runs'][number]

export interface ReportSearch {
  /** The id of a run; without it, the report is about the whole life of the server. */
  readonly run?: number | undefined
  readonly project?: number | undefined
  readonly token?: number | undefined
  /** The most that it may cost. */
  readonly cost?: string | undefined
}

const idOf = (value: unknown) => (Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined)

export function reportSearch({ run, project, token, cost }: Record<string, unknown>): ReportSearch {
  const most = typeof cost === 'number' ? String(cost) : cost
  return {
    run: idOf(run),
    project: idOf(project),
    token: idOf(token),
    cost: typeof most === 'string' && most !== '' ? most : undefined,
  }
}

/** An amount as assertions take it; undefined for what is none. */
export function amountIn(text: string | undefined): string | undefined {
  const amount = text?.trim().replace(',', '.')
  return amount !== undefined && /^\d{1,9}(\.\d{1,4})?$/.test(amount) ? amount : undefined
}

/** What a client is judged by, in this order. */
const usual = ['leftovers', 'throttled', 'deprecated', 'unknown-fields', 'unawaited'] as const

/** The request that reads it, also in other forms than JSON. */
export function requestOf({ run, project, token, cost }: ReportSearch) {
  const most = amountIn(cost)
  const query = {
    ...(project === undefined ? {} : { project }),
    ...(token === undefined ? {} : { token }),
    ...(most === undefined ? {} : { fail_on: [...usual, `cost>${most}`].join(',') }),
  }
  return run === undefined
    ? ({ operation: 'lab_getWholeReport', query } as const)
    : ({ operation: 'lab_getReport', params: { id: run }, query } as const)
}

/** The request that reads the recorded requests themselves. */
export function harRequestOf({ run, project, token }: ReportSearch): AnyRequest {
  const { query } = requestOf({ run, project, token })
  return run === undefined
    ? { operation: 'lab_getWholeHar', query }
    : { operation: 'lab_getHar', params: { id: run }, query }
}

/** The same as a query of the cache. */
export function reportQuery(search: ReportSearch) {
  const { operation, ...input } = requestOf(search)
  return api.query(operation as 'lab_getReport', input as { params: { id: number } })
}
