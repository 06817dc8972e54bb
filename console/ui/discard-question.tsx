/** Asks before changes are lost, or something else by its own words. */
import { unsaved as w } from '../words/unsaved.ts'
import { Confirm } from './dialog.tsx'
import type { Question } from './unsaved.ts'

interface QuestionProps {
  readonly question?: Question | undefined
  readonly onAnswer: (discards: boolean) => void
}

export function DiscardQuestion({ question = w, onAnswer }: QuestionProps) {
  const { title, text, act, keep } = question
  return (
    <Confirm {...{ title, text, act, keep }} onConfirm={async () => onAnswer(true)} onClose={() => onAnswer(false)} />
  )
}
