/** Whether a volume is attached, or what is being done with it. */
import { State } from '../../ui/state.tsx'
import { volumes as english } from '../../words/en/volumes.ts'
import { wordsOf } from '../../words/words.ts'
import type { Volume } from './volume.ts'

const w = wordsOf('volumes', english)

interface VolumeStateProps {
  readonly volume: Volume
  /** That of the action on it; undefined while there is none. */
  readonly progress: number | undefined
}

export function VolumeState({ volume: { status, server }, progress }: VolumeStateProps) {
  if (status === 'creating' || progress !== undefined) {
    return (
      <State mood="busy" progress={progress ?? 38}>
        {status === 'creating' ? w.creating : w.changing}
      </State>
    )
  }
  return <State mood={server === null ? 'off' : 'ok'}>{server === null ? w.free : w.attached}</State>
}
