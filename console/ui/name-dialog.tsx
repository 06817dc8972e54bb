/** Gives something another name. */
import type { ReactNode } from 'react'
import { common as w } from '../words/common.ts'
import { Dialog } from './dialog.tsx'
import { Elsewhere } from './elsewhere.tsx'
import { FailureNote } from './failure.tsx'
import { TextField } from './field.tsx'
import { FormFooter } from './form-footer.tsx'
import { useDraft } from './use-draft.ts'
import { useSubmit } from './use-submit.ts'

interface NameDialogProps {
  readonly title: string
  readonly label?: string
  readonly act?: string
  /** The current name. */
  readonly initial: string
  readonly maxLength?: number
  readonly onSave: (name: string) => Promise<unknown>
  readonly onClose: () => void
  /** Returns what stands below the field, such as the commands for the name in it. */
  readonly children?: (name: string) => ReactNode
}

export function NameDialog({ title, label, act, initial, maxLength = 100, ...rest }: NameDialogProps) {
  const { onSave, onClose, children } = rest
  const draft = useDraft({ name: initial })
  const { name } = draft.value
  const submit = useSubmit()
  const isReady = name.trim() !== ''
  const save = async () => {
    if (isReady && (await submit.run(() => onSave(name.trim())))) onClose()
  }
  return (
    <Dialog
      title={title}
      isDirty={draft.isDirty}
      onClose={onClose}
      onSubmit={() => void save()}
      footer={<FormFooter act={act ?? w.save} isBusy={submit.isBusy} isReady={isReady} onClose={onClose} />}
    >
      <TextField
        label={label ?? w.name}
        value={name}
        onChange={(name) => draft.change({ name })}
        maxLength={maxLength}
        autoFocus
        problems={submit.problemsOf('name')}
      />
      <Elsewhere {...draft} />
      {submit.cause !== undefined && <FailureNote cause={submit.cause} />}
      {isReady && children?.(name.trim())}
    </Dialog>
  )
}
