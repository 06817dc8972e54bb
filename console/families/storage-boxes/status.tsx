/** Shows whether a Storage Box can be used, or what is being done with it. */
import { useRunning } from '../../api/actions.ts'
import { State } from '../../ui/state.tsx'
import type { Box } from './box.ts'
import { boxes as w } from './words.ts'

export function BoxState({ box: { id, status } }: { readonly box: Pick<Box, 'id' | 'status'> }) {
  const progress = useRunning('storage_box', id)?.progress
  if (status === 'initializing' || progress !== undefined) {
    return (
      <State mood="busy" progress={progress}>
        {status === 'initializing' ? w.status.initializing : w.status.changing}
      </State>
    )
  }
  return <State mood={status === 'active' ? 'ok' : 'warn'}>{w.status[status]}</State>
}
