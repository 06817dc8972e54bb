/** Counts the certificates that somebody has to care about. */
import { timestamp } from '../../kernel/process/clock.ts'
import { counted, fine, goodUntil, soonMs, warning } from '../../kernel/process/seen.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { Checkup, States } from '../../platform.ts'
import { certificatesInUse, endingCertificates, failedCertificates } from './host.ts'

type Counted = readonly { readonly project_id: ProjectId; readonly count: unknown }[]

export const certificateStates: States = {
  failed: async ({ db }, ids, until) => byProject(await failedCertificates(db.query, ids, until)),
  ending: async ({ db }, ids, until) => byProject(await endingCertificates(db.query, ids, until)),
}

const byProject = (rows: Counted) => new Map(rows.map(({ project_id, count }) => [project_id, Number(count)]))

/** So many of them are told one by one. */
const mostShown = 20

/** How long those are good that something uses. Managed ones are renewed earlier, so that one that ends soon was not. */
export const certificateCheckup: Checkup = async ({ query, now }) => {
  const { all, ending } = await certificatesInUse(query, timestamp(now + soonMs), mostShown + 1)
  const shown = ending.slice(0, mostShown).map(({ id, project_id, name, type, not_valid_after, error_code }) => {
    const failed = `its renewal fails${error_code === null ? '' : ` (${error_code})`}: see what is said of zones`
    const advice = type === 'managed' ? failed : 'its Project has to upload a new one; its owner was told by mail'
    return goodUntil(`${name} (${type}, ${id} of Project ${project_id})`, Date.parse(not_valid_after!), now, advice)
  })
  if (ending.length > mostShown) return [...shown, warning('in use', 'there are more that end soon', null)]
  const good = all - ending.length
  return [...shown, fine('in use', `${counted(good, 'certificate')} ${good === 1 ? 'has' : 'have'} more than 14 days`)]
}
