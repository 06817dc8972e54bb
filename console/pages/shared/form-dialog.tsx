/** A short form in a dialog: its fields, what it does as commands, and why it failed. */
import type { ReactNode } from 'react'
import type { FieldProblems } from '../../api/failure.ts'
import type { AnyRequest, ApiRequest, OperationId, ReplyFor } from '../../api/operations.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { common } from '../../words/en/common.ts'
import { wordsOf } from '../../words/words.ts'
import { Equivalents } from './equivalents.tsx'
import { useSubmit } from './submit.ts'

const c = wordsOf('common', common)

interface FormDialogProps<Id extends OperationId> {
  readonly title: ReactNode
  readonly text?: ReactNode
  /** Verb and thing: `Create Floating IP`. */
  readonly act: string
  readonly isBad?: boolean
  /** What the button sends; undefined while something is missing. */
  readonly request: ApiRequest<Id> | undefined
  /** Why it cannot be sent yet. */
  readonly reason?: string | undefined
  readonly families: readonly string[]
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly onDone?: (reply: ReplyFor<Id>) => void
  readonly onClose: () => void
  readonly children?: ReactNode | ((problems: FieldProblems) => ReactNode)
}

export function FormDialog<Id extends OperationId>(props: FormDialogProps<Id>) {
  const { title, text, act, isBad = false, request, reason, families, labels, onDone, onClose, children } = props
  const { isBusy, cause, problems, submit } = useSubmit<Id>(families, (reply) => {
    onClose()
    onDone?.(reply)
  })
  const hasFields = Object.keys(problems).length > 0 && typeof children === 'function'
  return (
    <Dialog
      title={title}
      text={text}
      onClose={onClose}
      onSubmit={() => request && reason === undefined && void submit(request)}
      footer={
        <span className="end row">
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button
            type="submit"
            look={isBad ? 'danger' : 'primary'}
            isBusy={isBusy}
            reason={reason}
            disabled={request === undefined}
          >
            {act}
          </Button>
        </span>
      }
    >
      {typeof children === 'function' ? children(problems) : children}
      {cause !== undefined && !hasFields && <FailureNote cause={cause} />}
      {request && <Equivalents request={request as AnyRequest} labels={labels} />}
    </Dialog>
  )
}
