/** Shows whether a volume is attached, or what is being done with it. */
import { useRunning } from '../../api/actions.ts'
import { State } from '../../ui/state.tsx'
import type { Volume } from './volume.ts'
import { volumes as w } from './words.ts'

export function VolumeState({ volume: { id, status, server } }: { readonly volume: Volume }) {
  const progress = useRunning('volume', id)?.progress
  if (status === 'creating' || progress !== undefined) {
    return (
      <State mood="busy" progress={progress}>
        {status === 'creating' ? w.creating : w.changing}
      </State>
    )
  }
  return <State mood={server === null ? 'off' : 'ok'}>{server === null ? w.free : w.attached}</State>
}
