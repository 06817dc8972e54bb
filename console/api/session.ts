/** Who is signed in, in which Projects, and what they may do there. */

import { queryOptions, useQuery } from '@tanstack/react-query'
import { covers, isRole, type Role } from '../../src/kernel/access/roles.ts'
import { useProjectId } from './api.ts'
import { sendPlain } from './client.ts'
import { type OperationId, operationOf } from './operations.ts'

/** The one who is signed in: a person, or a token that opened a session. */
export interface Whoami {
  readonly kind: 'person' | 'token' | 'management'
  readonly id: number
  readonly name: string
  readonly operator: boolean
}

export interface Project {
  readonly id: number
  readonly name: string
  /** The role of the caller there; null for operators who are not members. */
  readonly role: Role | null
  /** How many resources it has, by the path of their family. */
  readonly counts?: Readonly<Record<string, number>>
}

export const whoamiQuery = queryOptions({
  queryKey: ['whoami'],
  queryFn: async () => ((await sendPlain('/wolke/v1/whoami')) as { whoami: Whoami }).whoami,
  staleTime: 60_000,
})

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: async () => ((await sendPlain('/wolke/v1/projects')) as { projects: readonly Project[] }).projects,
  staleTime: 60_000,
})

/** The Project whose page is open; undefined until it is known, and on pages of the installation. */
export function useProject(): Project | undefined {
  const id = useProjectId()
  const { data } = useQuery(projectsQuery)
  return data?.find((project) => project.id === id)
}

/**
 * What the caller lacks for an operation in the open Project: a role, or `operator`. Undefined when nothing is missing.
 * It only explains: the server decides by the same rows.
 */
export function useLack(operation: OperationId | undefined): Role | 'operator' | undefined {
  const project = useProject()
  const { data: whoami } = useQuery(whoamiQuery)
  if (operation === undefined || whoami === undefined) return undefined
  const { needs } = operationOf(operation)
  if (needs === 'operator') return whoami.operator ? undefined : 'operator'
  if (!isRole(needs) || !project) return undefined
  return project.role !== null && covers(project.role, needs) ? undefined : needs
}
