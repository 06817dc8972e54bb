/** Sending what a form or a button is about: one request as a value, which is also shown as commands. */
import { type Api, useApi } from '../../api/api.ts'
import type { AnyRequest, ApiRequest, OperationId, ReplyFor } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { type ProblemsOf, useSubmit } from '../../ui/use-submit.ts'

/** Sends a request that is a value. Errors: `ApiFailure`. */
export function perform<Id extends OperationId>(api: Api, request: ApiRequest<Id>): Promise<ReplyFor<Id>> {
  const { operation, ...input } = request as AnyRequest
  return api.call(operation as Id, input as never)
}

export interface Submission {
  readonly isBusy: boolean
  /** The reason it was refused, where no shown field says so. */
  readonly cause: unknown
  readonly problems: ProblemsOf
  send(): void
}

/** `work` sends the form and goes on. */
export function useSubmission(work: () => Promise<unknown>): Submission {
  const { isBusy, cause, problemsOf, run } = useSubmit()
  return { isBusy, cause, problems: problemsOf, send: () => void run(work) }
}

interface Sent<Id extends OperationId> {
  /** Undefined while something is missing; then nothing is sent. */
  readonly request: ApiRequest<Id> | undefined
  /** The families whose replies are outdated then. */
  readonly families: readonly string[]
  readonly done?: ((reply: ReplyFor<Id>) => unknown) | undefined
}

/** Sends one request, marks what it changed as outdated, and goes on with the reply. */
export function useRequest<Id extends OperationId>({ request, families, done }: Sent<Id>): Submission {
  const api = useApi()
  const outdate = useOutdate()
  return useSubmission(async () => {
    if (!request) return
    const reply = await perform(api, request)
    await outdate(...families)
    await done?.(reply)
  })
}
