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

/** The words for a failure: those of its code, or the server's where the code is new. */
export function wordsFor(cause: unknown): string {
  const { code, message } = toFailure(cause)
  return w?.byCode[code] ?? message
}

/** What became of it, before the reason: `what` was not done, unless nobody here knows whether it was. */
function outcomeOf(cause: unknown, what = w?.unchanged): string | undefined {
  return toFailure(cause).isUncertain ? w?.uncertain : what
}

/** Tells of a failure where nothing on the page has a place for it. `what` as in `web-1 was not deleted`. */
export function tellFailure(cause: unknown, what?: string): void {
  toast({ mood: 'bad', title: outcomeOf(cause, what), text: wordsFor(cause) })
}

/** What became of it and why, for one of many. */
export function outcomeAndReason(cause: unknown): string {
  return toFailure(cause).isUncertain ? `${w?.uncertain} ${wordsFor(cause)}` : wordsFor(cause)
}

interface FailureProps {
  readonly cause: unknown
  /** What failed, as in `web-1 was not deleted.` */
  readonly what?: string | undefined
  readonly children?: ReactNode
}

export function FailureNote({ cause, what, children }: FailureProps) {
  const { code, correlationId, message } = toFailure(cause)
  const named = Object.entries(toFailure(cause).fields).map(([name, messages]) => `${name}: ${messages.join(', ')}`)
  return (
    <Note mood="bad" isNews>
      <b>{outcomeOf(cause, what)}</b> {wordsFor(cause)} {children}
      {named.length > 0 && <span className="dim"> {named.join('; ')} </span>}
      <span className="faint mono" title={message}>
        {[code, correlationId?.slice(-6)].filter(Boolean).join(' · ')}
      </span>
    </Note>
  )
}
