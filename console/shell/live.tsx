/** Keeps what is shown up to date with what happens elsewhere. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useProjectId } from '../api/api.ts'
import { followEvents } from '../api/events.ts'
import { followActions } from '../api/follow-actions.ts'

export function Live() {
  const cache = useQueryClient()
  const project = useProjectId()
  useEffect(() => followActions(cache), [cache])
  useEffect(() => (project === undefined ? undefined : followEvents(project, cache)), [project, cache])
  return null
}
