/** Parts of the frame that the first picture does not need. */
import { Tips } from '../ui/tips.tsx'
import { Toasts } from '../ui/toast.tsx'
import { shell } from '../words/en/shell.ts'
import { wordsOf } from '../words/words.ts'
import { Live } from './live.tsx'

const w = wordsOf('shell', shell)

export function Later() {
  return (
    <>
      <aside aria-label={w.news}>
        <Toasts />
      </aside>
      <Tips />
      <Live />
    </>
  )
}
