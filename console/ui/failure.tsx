/** A failure in words: what happened, what is unchanged, what to do, and the code and id to report it by. */
import type { ReactNode } from 'react'
import { toFailure } from '../api/failure.ts'
import { type Words, wordsOf } from '../words/words.ts'
import { Note } from './note.tsx'
import { toast } from './toasts.ts'

/** Loaded with the first failure: most pages never need them. */
let w: Words['errors'] | undefined

export async function loadErrorWords(): Promise<void> {
  w ??= wordsOf('errors', (await import('../words/en/errors.ts')).errors)
}

/** The words for a failure: those of its code, or the server's where the code is new; first, if nobody knows what became of it. */
export function wordsFor(cause: unknown): string {
  const { code, message, isUncertain } = toFailure(cause)
  const words = w?.byCode[code] ?? message
  return isUncertain ? `${w?.uncertain} ${words}` : words
}

/** Tells of a failure where nothing on the page has a place for it. `what` as in `web-1 was not deleted`. */
export function tellFailure(cause: unknown, what?: string): void {
  const text = wordsFor(cause)
  toast({ mood: 'bad', ...(toFailure(cause).isUncertain ? { title: text } : { title: what ?? w?.unchanged, text }) })
}

interface FailureProps {
  readonly cause: unknown
  /** What failed, as in `web-1 was not deleted.` */
  readonly what?: string | undefined
  readonly children?: ReactNode
}

export function FailureNote({ cause, what, children }: FailureProps) {
  const { code, correlationId, message, isUncertain } = toFailure(cause)
  const named = Object.entries(toFailure(cause).fields).map(([name, messages]) => `${name}: ${messages.join(', ')}`)
  return (
    <Note mood="bad" isNews>
      {!isUncertain && <b>{what ?? w?.unchanged}</b>} {wordsFor(cause)} {children}
      {named.length > 0 && <span className="dim"> {named.join('; ')} </span>}
      <span className="faint mono" title={message}>
        {[code, correlationId?.slice(-6)].filter(Boolean).join(' · ')}
      </span>
    </Note>
  )
}
