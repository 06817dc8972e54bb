/** Asks before one request that cannot be taken back, and shows it as commands. */
import { useApi } from '../../api/api.ts'
import type { AnyRequest, ApiRequest, OperationId, ReplyFor } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { Confirm, type ConfirmProps } from '../../ui/dialog.tsx'
import { Equivalents } from './equivalents.tsx'
import { perform } from './submit.ts'

interface ConfirmRequestProps<Id extends OperationId> extends Omit<ConfirmProps, 'onConfirm' | 'children'> {
  readonly request: ApiRequest<Id>
  /** The families whose replies are outdated then. */
  readonly families: readonly string[]
  readonly done?: (reply: ReplyFor<Id>) => unknown
}

export function ConfirmRequest<Id extends OperationId>(props: ConfirmRequestProps<Id>) {
  const { request, families, done, ...question } = props
  const api = useApi()
  const outdate = useOutdate()
  const confirm = async () => {
    const reply = await perform(api, request)
    await outdate(...families)
    await done?.(reply)
  }
  return (
    <Confirm {...question} onConfirm={confirm}>
      <Equivalents request={request as AnyRequest} />
    </Confirm>
  )
}
