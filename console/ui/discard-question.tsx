/** Asks before changes are lost. */
import { unsaved as english } from '../words/en/unsaved.ts'
import { wordsOf } from '../words/words.ts'
import { Confirm } from './dialog.tsx'

const w = wordsOf('unsaved', english)

export function DiscardQuestion({ onAnswer }: { readonly onAnswer: (discards: boolean) => void }) {
  return (
    <Confirm
      title={w.title}
      text={w.text}
      act={w.act}
      keep={w.keep}
      onConfirm={async () => onAnswer(true)}
      onClose={() => onAnswer(false)}
    />
  )
}
