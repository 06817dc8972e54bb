/** Counts the certificates that somebody has to care about. */
import type { ProjectId } from '../../kernel/scope.ts'
import type { States } from '../../platform.ts'
import { endingCertificates, failedCertificates } from './host.ts'

type Counted = readonly { readonly project_id: ProjectId; readonly count: unknown }[]

export const certificateStates: States = {
  failed: async ({ db }, ids, until) => byProject(await failedCertificates(db.query, ids, until)),
  ending: async ({ db }, ids, until) => byProject(await endingCertificates(db.query, ids, until)),
}

const byProject = (rows: Counted) => new Map(rows.map(({ project_id, count }) => [project_id, Number(count)]))
