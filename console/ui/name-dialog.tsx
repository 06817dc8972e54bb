/** Gives something another name. */
import { common } from '../words/en/common.ts'
import { wordsOf } from '../words/words.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Elsewhere } from './elsewhere.tsx'
import { FailureNote } from './failure.tsx'
import { TextField } from './field.tsx'
import { useDraft } from './use-draft.ts'
import { useSubmit } from './use-submit.ts'

const w = wordsOf('common', common)

interface NameDialogProps {
  readonly title: string
  readonly label?: string
  readonly act?: string
  /** What it is called now. */
  readonly initial: string
  readonly maxLength?: number
  readonly onSave: (name: string) => Promise<unknown>
  readonly onClose: () => void
}

export function NameDialog({ title, label, act, initial, maxLength = 100, onSave, onClose }: NameDialogProps) {
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
      footer={
        <span className="end row">
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button type="submit" look="primary" isBusy={submit.isBusy} disabled={!isReady}>
            {act ?? w.save}
          </Button>
        </span>
      }
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
      {submit.cause !== undefined && !submit.problemsOf('name') && <FailureNote cause={submit.cause} />}
    </Dialog>
  )
}
