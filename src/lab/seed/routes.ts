/** Seeds through the API. What carries them out is loaded with the first request. */
import { getProject } from '../../kernel/access/projects.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { Time } from '../time.ts'
import type { seedEndpoints } from './contract.ts'
import type { Parts } from './within.ts'

/** Errors of all: `unsupported_error` on a server without a lab. */
export function seedRoutes(
  given: Omit<Parts, 'time'> & { readonly time: Time | undefined },
): Handlers<typeof seedEndpoints> {
  const opened = (): Parts => {
    const { time } = given
    if (time) return { ...given, time }
    throw new ApiError('unsupported_error', 'this server has no lab: start it with --lab, or with --database memory')
  }
  return {
    async seed({ caller: { actor }, body: { projects, yaml } }) {
      const parts = opened()
      if ((projects === undefined) === (yaml === undefined))
        throw invalidInput([{ field: 'projects', message: 'give either projects or yaml' }])
      const { seedText, seedValue } = await import('./seed.ts')
      return yaml === undefined ? seedValue(parts, actor, { projects }) : seedText(parts, actor, yaml)
    },
    async exportSeed({ caller: { actor }, params: { project_id }, query: { format } }) {
      const parts = opened()
      const project = await getProject(parts.platform.db.query, { projectId: project_id as ProjectId })
      const { exportProject } = await import('./export.ts')
      return exportProject(parts, actor, project, format)
    },
  }
}
