/** Sending a form: whether it is on its way, why it failed, and which field is to blame. */
import { useState } from 'react'
import { useApi } from './api.ts'
import { type ApiFailure, toFailure } from './failure.ts'
import type { InputOf, OperationId, ReplyFor } from './operations.ts'

export interface Sending<Id extends OperationId> {
  readonly isBusy: boolean
  readonly failure: ApiFailure | undefined
  /** Resolves to the reply; to undefined when it failed, which `failure` explains. */
  send(input: InputOf<Id>): Promise<ReplyFor<Id> | undefined>
  /** What is wrong with a field, by its name in the request. `labels` also takes `labels.x` and `labels[0]`. */
  problemsOf(field: string): readonly string[] | undefined
  /** What failed and belongs to none of these fields. */
  failureBesides(fields: readonly string[]): ApiFailure | undefined
  clear(): void
}

export function useSend<Id extends OperationId>(operation: Id): Sending<Id> {
  const api = useApi()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()
  const problems = Object.entries(failure?.fields ?? {})
  const isOf = (name: string, field: string) =>
    name === field || (/^[.[]/.test(name.slice(field.length)) && name.startsWith(field))
  return {
    isBusy,
    failure,
    async send(input) {
      setBusy(true)
      setFailure(undefined)
      try {
        return await api.call(operation, input)
      } catch (cause) {
        setFailure(toFailure(cause))
        return undefined
      } finally {
        setBusy(false)
      }
    },
    problemsOf(field) {
      const own = problems.filter(([name]) => isOf(name, field)).flatMap(([, messages]) => messages)
      return own.length > 0 ? own : undefined
    },
    failureBesides(fields) {
      const named = problems.length > 0 && problems.every(([name]) => fields.some((field) => isOf(name, field)))
      return named ? undefined : failure
    },
    clear: () => setFailure(undefined),
  }
}
