/** Sending a form: once at a time, with what went wrong by field. */
import { useState } from 'react'
import { toFailure } from '../api/failure.ts'

export interface Submit {
  readonly isBusy: boolean
  /** Why the last attempt failed; undefined while one is on its way. */
  readonly cause: unknown
  /** What is wrong with a field. */
  readonly problemsOf: (field: string) => readonly string[] | undefined
  /** Sends; returns whether it worked. */
  readonly run: (act: () => Promise<unknown>) => Promise<boolean>
  readonly fail: (cause: unknown) => void
}

export function useSubmit(): Submit {
  const [isBusy, setBusy] = useState(false)
  const [cause, fail] = useState<unknown>()
  return {
    isBusy,
    cause,
    fail,
    problemsOf: (field) => (cause === undefined ? undefined : toFailure(cause).fields[field]),
    run: async (act) => {
      if (isBusy) return false
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
