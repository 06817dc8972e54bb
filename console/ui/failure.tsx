/** A failure in words: what happened, what is unchanged, what to do, and the code and id to report it by. */
import type { ReactNode } from 'react'
import { toFailure } from '../api/failure.ts'
import { Note } from './note.tsx'
import { errorWords, Said, saidByName } from './said.tsx'
import { toast } from './toasts.ts'

/**
 * The words for a failure: those that name what is in the way, or those of its code, or the server's where the code is
 * new; first, if nobody knows what became of it.
 */
export function wordsFor(cause: unknown): string {
  const { code, message, isUncertain } = toFailure(cause)
  const words = saidByName(message) ?? errorWords()?.byCode[code] ?? message
  return isUncertain ? `${errorWords()?.uncertain} ${words}` : words
}

/** Tells of a failure where nothing on the page has a place for it. `what` as in `web-1 was not deleted`. */
export function tellFailure(cause: unknown, what?: string): void {
  const text = wordsFor(cause)
  toast({
    mood: 'bad',
    ...(toFailure(cause).isUncertain ? { title: text } : { title: what ?? errorWords()?.unchanged, text }),
  })
}

interface FailureProps {
  readonly cause: unknown
  /** A sentence on what failed: `web-1 was not deleted.` */
  readonly what?: string | undefined
  readonly children?: ReactNode
}

export function FailureNote({ cause, what, children }: FailureProps) {
  const { code, correlationId, message, isUncertain } = toFailure(cause)
  const named = Object.entries(toFailure(cause).fields)
  return (
    <Note mood="bad" isNews>
      {!isUncertain && <b>{what ?? errorWords()?.unchanged}</b>} {wordsFor(cause)} {children}
      {named.map(([name, messages], index) => (
        <span key={name} className="dim">
          {index > 0 ? '; ' : ' '}
          {name}: <Said texts={messages} between=", " />
        </span>
      ))}{' '}
      <span className="faint mono" title={message}>
        {[code, correlationId?.slice(-6)].filter(Boolean).join(' · ')}
      </span>
    </Note>
  )
}
