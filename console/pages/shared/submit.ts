/** Sending what a form or a button is about: one request as a value, which is also shown as commands. */
import { useState } from 'react'
import { type Api, useApi, useOutdate } from '../../api/api.ts'
import { type FieldProblems, toFailure } from '../../api/failure.ts'
import type { AnyRequest, ApiRequest, OperationId, ReplyFor } from '../../api/operations.ts'

/** Sends a request that is a value. Errors: `ApiFailure`. */
export function perform<Id extends OperationId>(api: Api, request: ApiRequest<Id>): Promise<ReplyFor<Id>> {
  const { operation, ...input } = request as AnyRequest
  return api.call(operation as Id, input as never)
}

interface Submit<Id extends OperationId> {
  readonly isBusy: boolean
  /** Why it failed last. */
  readonly cause: unknown
  /** The problems of fields, by their names in the request. */
  readonly problems: FieldProblems
  readonly submit: (request: ApiRequest<Id>) => Promise<void>
  readonly forget: () => void
}

/** `families` are those whose replies are outdated afterwards. */
export function useSubmit<Id extends OperationId>(
  families: readonly string[],
  done: (reply: ReplyFor<Id>) => void | Promise<void>,
): Submit<Id> {
  const api = useApi()
  const outdate = useOutdate()
  const [isBusy, setBusy] = useState(false)
  const [cause, setCause] = useState<unknown>()
  return {
    isBusy,
    cause,
    problems: cause === undefined ? {} : toFailure(cause).fields,
    forget: () => setCause(undefined),
    async submit(request) {
      if (isBusy) return
      setBusy(true)
      setCause(undefined)
      try {
        const reply = await perform(api, request)
        await outdate(...families)
        await done(reply)
      } catch (failure) {
        setCause(failure)
      } finally {
        setBusy(false)
      }
    },
  }
}
