/** A short form in a dialog: its fields, what it does as commands, and why it failed. */
import type { ReactNode } from 'react'
import type { AnyRequest, ApiRequest, OperationId, ReplyFor } from '../../api/operations.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { FormFooter } from '../../ui/form-footer.tsx'
import type { ProblemsOf } from '../../ui/use-submit.ts'
import { Equivalents } from './equivalents.tsx'
import { useRequest } from './submit.ts'

interface FormDialogProps<Id extends OperationId> {
  readonly title: ReactNode
  readonly text?: ReactNode
  /** Verb and thing: `Create Floating IP`. */
  readonly act: string
  readonly isBad?: boolean
  readonly isWide?: boolean
  /** The request that the button sends; undefined while something is missing. */
  readonly request: ApiRequest<Id> | undefined
  /** True once the request may be sent as it is; its commands are shown before. */
  readonly isReady?: boolean
  /** The reason it cannot be sent yet. */
  readonly reason?: string | undefined
  /** True while closing it loses something, where more than fields can be changed. */
  readonly isDirty?: boolean | undefined
  readonly families: readonly string[]
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly onDone?: (reply: ReplyFor<Id>) => void
  readonly onClose: () => void
  readonly children?: ReactNode | ((problems: ProblemsOf) => ReactNode)
}

export function FormDialog<Id extends OperationId>(props: FormDialogProps<Id>) {
  const { title, text, isWide, isDirty, request, isReady = true, reason, families, labels, children } = props
  const { onDone, onClose } = props
  const form = useRequest<Id>({
    request,
    families,
    done: (reply) => {
      onClose()
      onDone?.(reply)
    },
  })
  const canSend = request !== undefined && isReady
  return (
    <Dialog
      title={title}
      text={text}
      isWide={isWide}
      isDirty={isDirty}
      onClose={onClose}
      onSubmit={() => canSend && reason === undefined && form.send()}
      footer={
        <FormFooter
          act={props.act}
          isBad={props.isBad}
          isBusy={form.isBusy}
          isReady={canSend}
          reason={reason}
          onClose={onClose}
        />
      }
    >
      {typeof children === 'function' ? children(form.problems) : children}
      {form.cause !== undefined && <FailureNote cause={form.cause} />}
      {request && <Equivalents request={request as AnyRequest} labels={labels} />}
    </Dialog>
  )
}
