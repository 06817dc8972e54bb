/** The session: who is signed in, in which Projects, and what they may do there. */

import { useQuery } from '@tanstack/react-query'
import { covers, isRole, type Role } from '../../src/kernel/access/roles.ts'
import { apiOf, type ItemOf, useProjectId } from './api.ts'
import { type OperationId, operationOf, type ReplyFor } from './operations.ts'

const installation = apiOf(undefined)

/** The one who is signed in: a person, or a token that opened a session. */
export type Whoami = ReplyFor<'management_whoami'>['whoami']
export type Project = ItemOf<'management_listProjects'>

export const whoamiQuery = { ...installation.query('management_whoami', {}), staleTime: 60_000 }

/** The Projects of the caller. A role of null is that of operators who are no members. */
export const projectsQuery = { ...installation.list('management_listProjects', {}), staleTime: 60_000 }

/** The Project whose page is open; undefined until it is known, and on pages of the installation. */
export function useProject(): Project | undefined {
  const id = useProjectId()
  const { data } = useQuery(projectsQuery)
  return data?.find((project) => project.id === id)
}

/**
 * Returns what the caller lacks for an operation in the open Project: a role, or `operator`. Undefined when nothing is
 * missing. It only explains: the server decides by the same rows.
 */
export function useLack(operation: OperationId | undefined): Lack {
  const project = useProject()
  const { data: { whoami } = {} } = useQuery(whoamiQuery)
  return operation === undefined ? undefined : lackOf(operation, project, whoami)
}

export type Lack = Role | 'operator' | undefined

/** The same where the Project and the caller are known. */
export function lackOf(operation: OperationId, project: Project | undefined, whoami: Whoami | undefined): Lack {
  if (whoami === undefined) return undefined
  const { needs } = operationOf(operation)
  if (needs === 'operator') return whoami.operator ? undefined : 'operator'
  if (!isRole(needs) || !project) return undefined
  return project.role !== null && covers(project.role, needs) ? undefined : needs
}
