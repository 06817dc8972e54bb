/** Asks before changes are lost. */
import { unsaved as w } from '../words/unsaved.ts'
import { Confirm } from './dialog.tsx'

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
