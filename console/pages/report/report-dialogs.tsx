/** Starts a run, and asks before one is forgotten. */
import { useState } from 'react'
import { TextField } from '../../ui/field.tsx'
import { report as w } from '../../words/report.ts'
import { ConfirmRequest } from '../shared/confirm-request.tsx'
import { FormDialog } from '../shared/form-dialog.tsx'
import type { ReportSearch, Run } from './report-data.ts'

export type AboutRun = { readonly kind: 'start' } | { readonly kind: 'forget'; readonly run: Run }

interface ReportDialogsProps {
  readonly asked: AboutRun | undefined
  readonly close: () => void
  /** Chooses another run. */
  readonly change: (next: ReportSearch) => void
}

const families = ['lab']

export function ReportDialogs({ asked, close, change }: ReportDialogsProps) {
  if (!asked) return null
  if (asked.kind === 'start') return <Start close={close} change={change} />
  const { id, name } = asked.run
  return (
    <ConfirmRequest
      title={w.forgetTitle(name)}
      text={w.forgetText}
      act={w.forget}
      request={{ operation: 'lab_deleteRun', params: { id } }}
      families={[]}
      done={() => change({ run: undefined })}
      onClose={close}
    />
  )
}

function Start({ close, change }: Pick<ReportDialogsProps, 'close' | 'change'>) {
  const [name, setName] = useState('')
  return (
    <FormDialog
      title={w.start}
      text={w.startText}
      act={w.start}
      request={{ operation: 'lab_startRun', body: { name: name.trim() } }}
      isReady={name.trim() !== ''}
      families={families}
      onDone={({ run }) => change({ run: run.id })}
      onClose={close}
    >
      {(problems) => (
        <TextField
          label={w.name}
          hint={w.nameHint}
          value={name}
          onChange={setName}
          maxLength={255}
          autoFocus
          problems={problems('name')}
        />
      )}
    </FormDialog>
  )
}
