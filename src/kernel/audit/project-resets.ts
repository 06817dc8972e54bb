/** The reset of a Project, as the contract and those who listen to the Project know it. */
import { wolkeBase } from '../contract/bases.ts'

export const projectResetPath = '/projects/{project_id}/reset'

/** Tells whether an operation of the audit log was one, so that nothing is left of what was known of the Project. */
export const isProjectReset = (operation: string) => operation === `POST ${wolkeBase}${projectResetPath}`
