/** The reset of a Project, as the contract and those who listen to the Project know it. */

import { wolkeBase } from '../contract/bases.ts'
import type { AuditRow } from './tables.ts'

export const projectResetPath = '/projects/{project_id}/reset'

/** Tells whether an entry of the audit log is about one, so that nothing is left of what was known of the Project. */
export const isProjectReset = ({ operation, outcome }: Pick<AuditRow, 'operation' | 'outcome'>) =>
  outcome === 'ok' && operation === `POST ${wolkeBase}${projectResetPath}`
