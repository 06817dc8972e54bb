/** Sending a form: once at a time, with what went wrong by field. */
import { useEffect, useRef, useState } from 'react'
import { type ApiFailure, type FieldProblems, toFailure } from '../api/failure.ts'

/** Returns the problems of a field, by its name in the request, with those of its parts (`records[0].value`). */
export type ProblemsOf = (field: string) => readonly string[] | undefined

interface Submit {
  readonly isBusy: boolean
  /** The failure of the last attempt, without what fields say; undefined during an attempt, or if fields say it all. */
  readonly cause: unknown
  readonly problemsOf: ProblemsOf
  /** Sends; returns whether it worked. */
  readonly run: (act: () => Promise<unknown>) => Promise<boolean>
  readonly fail: (cause: unknown) => void
}

export function useSubmit(): Submit {
  const [isBusy, setBusy] = useState(false)
  const [cause, fail] = useState<unknown>()
  const problems = cause === undefined ? [] : Object.entries(toFailure(cause).fields)
  // Each field that is drawn asks for its problems, so those that somebody has drawn are known before the first failure.
  const drawn = useRef(new Set<string>())
  const rest = cause === undefined ? undefined : unsaid(toFailure(cause), drawn.current)
  const form = useRef<Element | null>(null)
  // Whoever sends a long form may be far from the field that has the problem.
  useEffect(() => {
    if (cause !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [cause])
  return {
    isBusy,
    cause: problems.length > 0 && Object.keys(rest?.fields ?? {}).length === 0 ? undefined : rest,
    fail,
    problemsOf(field) {
      drawn.current.add(field)
      return problemsIn(Object.fromEntries(problems), field)
    },
    run: async (act) => {
      if (isBusy) return false
      form.current = document.activeElement?.closest('form') ?? null
      setBusy(true)
      fail(undefined)
      try {
        await act()
        return true
      } catch (failure) {
        fail(failure)
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}

/** A failure without the problems that some fields say themselves. */
export function unsaid(failure: ApiFailure, fields: Iterable<string>): ApiFailure {
  const all = [...fields]
  return failure.without((name) => all.some((field) => isIn(field, name)))
}

/** Returns the problems of a field and its parts; undefined where there are none. */
export function problemsIn(fields: FieldProblems, field: string): readonly string[] | undefined {
  const own = Object.entries(fields)
    .filter(([name]) => isIn(field, name))
    .flatMap(([name, messages]) => messages.map((one) => (name === field ? one : `${name.slice(field.length)} ${one}`)))
  return own.length > 0 ? own : undefined
}

/** Returns whether a name in a reply is that of a field, or of a part of it. */
function isIn(field: string, name: string): boolean {
  return name === field || name.startsWith(`${field}[`) || name.startsWith(`${field}.`)
}
