/** Sending a form once: it is busy while it is sent, and what was refused is shown at the fields. */
import { useState } from 'react'
import { toFailure } from '../../api/failure.ts'

export interface Submission {
  readonly isBusy: boolean
  /** Why it was refused, where no shown field says so. */
  readonly cause: unknown
  /** The problems of a field, by its name in the request; those of its parts (`records[0].value`) count as its own. */
  problems(field: string): readonly string[] | undefined
  send(): void
}

/** `work` sends the form and goes on; `fields` are those that show their problems themselves. */
export function useSubmission(work: () => Promise<unknown>, fields: readonly string[] = []): Submission {
  const [isBusy, setBusy] = useState(false)
  const [cause, setCause] = useState<unknown>()
  const named = cause === undefined ? {} : toFailure(cause).fields
  const problems = (field: string) => {
    const own = Object.entries(named)
      .filter(([name]) => name === field || name.startsWith(`${field}[`) || name.startsWith(`${field}.`))
      .flatMap(([name, messages]) =>
        messages.map((one) => (name === field ? one : `${name.slice(field.length)} ${one}`)),
      )
    return own.length > 0 ? own : undefined
  }
  const isShown = fields.some((field) => problems(field) !== undefined)
  return {
    isBusy,
    cause: isShown ? undefined : cause,
    problems,
    send() {
      if (isBusy) return
      setBusy(true)
      setCause(undefined)
      work().then(
        () => setBusy(false),
        (failure: unknown) => {
          setCause(failure)
          setBusy(false)
        },
      )
    },
  }
}
