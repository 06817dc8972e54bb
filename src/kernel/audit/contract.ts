/** The endpoints of the audit log and of the activity of a Project, below `/wolke/v1`. */
import { Type } from 'typebox'
import { ActionSchema } from '../actions/contract.ts'
import {
  booleanParam,
  defineEndpoints,
  enumParam,
  named,
  type Param,
  textParam,
  widePaging,
} from '../contract/contract.ts'
import { largestId, parseId } from '../ids.ts'
import { timestamp } from '../process/clock.ts'
import { pageToCsv } from './view.ts'
import { AuditPage, Next } from './wire.ts'

/** An action with the family that it belongs to. */
export const Activity = named('Activity', { ...ActionSchema.properties, family: Type.String() })

/** A time as a timestamp in UTC with whole seconds; absent means no bound. */
export function timeParam(description: string): Param<string | undefined> {
  return {
    schema: { type: 'string', format: 'date-time' },
    description,
    repeatable: false,
    parse(texts) {
      const text = texts.at(-1)
      if (text === undefined) return undefined
      const time = parseTime(text)
      if (time === undefined) throw 'must be an RFC 3339 time or a date'
      return time
    },
  }
}

/** A time or a date as a timestamp; undefined when the text is neither. */
export function parseTime(text: string): string | undefined {
  const ms = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  return Number.isNaN(ms) || ms < 0 ? undefined : timestamp(ms)
}

/** One id; absent means none. */
export function idParam(description: string): Param<number | undefined> {
  return {
    schema: { type: 'integer', minimum: 1, maximum: largestId },
    description,
    repeatable: false,
    parse(texts) {
      const text = texts.at(-1)
      if (text === undefined) return undefined
      const id = parseId(text)
      if (id === undefined) throw 'must be an id'
      return id
    },
  }
}

const paging = {
  before: idParam('Only entries before the one with this id: `meta.next` of the page before'),
  per_page: widePaging(1_000).per_page,
} as const

const filters = {
  actor: textParam(
    'Only by this actor: `token`, `person`, `management`, `command line`, such a kind and `:ID`, or a name',
  ),
  operation: textParam('Only operations that contain this text, such as `DELETE` or `/actions/reboot`'),
  family: textParam('Only of this family, such as `servers`'),
  outcome: textParam('Only with this outcome: `ok`, `refused`, or an error code'),
  resource: textParam('Only about the resource with this id or name'),
  since: timeParam('Only from this time on'),
  until: timeParam('Only before this time'),
  ...paging,
} as const

const forms = { 'text/csv': (reply: unknown) => pageToCsv(reply as Parameters<typeof pageToCsv>[0]) }

export const auditEndpoints = defineEndpoints({
  list: {
    family: 'audit',
    method: 'GET',
    path: '/projects/{project_id}/audit',
    summary: 'List the audit log of a Project',
    section: 'Audit log',
    needs: 'admin',
    query: filters,
    status: 200,
    reply: AuditPage,
    forms,
    errors: [],
  },
  listAll: {
    family: 'audit',
    method: 'GET',
    path: '/audit',
    summary: 'List the audit log of the installation, without what is in Projects that the caller does not administer',
    section: 'Audit log',
    needs: 'operator',
    query: { project: idParam('Only of this Project'), ...filters },
    status: 200,
    reply: AuditPage,
    forms,
    errors: [],
  },
  activity: {
    family: 'activity',
    method: 'GET',
    path: '/projects/{project_id}/activity',
    summary: 'List the actions of all families of a Project, newest first',
    section: 'Activity',
    needs: 'viewer',
    query: {
      status: enumParam('Only actions with this status', ['running', 'success', 'error']),
      family: textParam('Only actions of this family, such as `servers`'),
      since: timeParam('Only actions started at or after this time'),
      standing: booleanParam('Only failures that stand: nobody has done the same to it with success since'),
      ...paging,
    },
    status: 200,
    reply: named('ActivityPage', { activity: Type.Array(Activity), meta: Next }),
    errors: [],
  },
})
