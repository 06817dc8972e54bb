/** What is asked before something of the lab is done. */
import { useState } from 'react'
import { TextField } from '../../ui/field.tsx'
import { admin } from '../../words/admin.ts'
import { ConfirmRequest } from '../shared/confirm-request.tsx'
import { FormDialog } from '../shared/form-dialog.tsx'

const w = admin.lab

export type Asked =
  | { readonly kind: 'advance' | 'save' | 'fork' | 'reset' }
  | { readonly kind: 'restore' | 'forget'; readonly name: string }
  | { readonly kind: 'end'; readonly id: number; readonly url: string }

interface LabDialogsProps {
  readonly asked: Asked | undefined
  readonly close: () => void
}

export function LabDialogs({ asked, close }: LabDialogsProps) {
  switch (asked?.kind) {
    case 'advance':
      return <Advance close={close} />
    case 'save':
      return <Save close={close} />
    case 'fork':
      return <Fork close={close} />
    case 'reset':
      return <Reset close={close} />
    case 'restore':
      return <Restore close={close} name={asked.name} />
    case 'forget':
      return <Forget close={close} name={asked.name} />
    case 'end':
      return <EndFork close={close} id={asked.id} url={asked.url} />
    default:
      return null
  }
}

interface DialogProps {
  readonly close: () => void
}

const families = ['lab']

function Advance({ close }: DialogProps) {
  const [by, setBy] = useState('1h')
  return (
    <FormDialog
      title={w.advance}
      text={w.advanceText}
      act={w.advance}
      request={{ operation: 'lab_advanceClock', body: { by: by.trim() } }}
      isReady={by.trim() !== ''}
      families={families}
      onDone={everythingIsNew}
      onClose={close}
    >
      {(problems) => (
        <TextField label={w.by} hint={w.byHint} value={by} onChange={setBy} autoFocus problems={problems('by')} />
      )}
    </FormDialog>
  )
}

function Save({ close }: DialogProps) {
  const [name, setName] = useState('')
  return (
    <FormDialog
      title={w.save}
      text={w.saveText}
      act={w.save}
      request={{ operation: 'lab_saveSnapshot', params: { name: name.trim() } }}
      isReady={name.trim() !== ''}
      families={families}
      onClose={close}
    >
      {(problems) => (
        <TextField
          label={w.name}
          value={name}
          onChange={setName}
          maxLength={64}
          autoFocus
          problems={problems('name')}
        />
      )}
    </FormDialog>
  )
}

function Fork({ close }: DialogProps) {
  const [ttl, setTtl] = useState('1h')
  return (
    <FormDialog
      title={w.fork}
      text={w.forkText}
      act={w.fork}
      request={{ operation: 'lab_createFork', body: { ttl: ttl.trim() } }}
      isReady={ttl.trim() !== ''}
      families={families}
      onClose={close}
    >
      {(problems) => (
        <TextField label={w.ttl} hint={w.byHint} value={ttl} onChange={setTtl} autoFocus problems={problems('ttl')} />
      )}
    </FormDialog>
  )
}

function Reset({ close }: DialogProps) {
  return (
    <ConfirmRequest
      title={w.resetTitle}
      text={w.resetText}
      act={w.reset}
      request={{ operation: 'lab_reset' }}
      families={[]}
      done={everythingIsNew}
      onClose={close}
    />
  )
}

function Restore({ close, name }: DialogProps & { readonly name: string }) {
  return (
    <ConfirmRequest
      title={w.restoreTitle(name)}
      text={w.restoreText}
      act={w.restore}
      request={{ operation: 'lab_restoreSnapshot', params: { name } }}
      families={[]}
      done={everythingIsNew}
      onClose={close}
    />
  )
}

function Forget({ close, name }: DialogProps & { readonly name: string }) {
  return (
    <ConfirmRequest
      title={w.forgetTitle(name)}
      text={w.forgetText}
      act={w.forget}
      request={{ operation: 'lab_deleteSnapshot', params: { name } }}
      families={families}
      onClose={close}
    />
  )
}

function EndFork({ close, id, url }: DialogProps & { readonly id: number; readonly url: string }) {
  return (
    <ConfirmRequest
      title={w.endTitle(url)}
      text={w.endText}
      act={w.endFork}
      request={{ operation: 'lab_deleteFork', params: { id } }}
      families={families}
      onClose={close}
    />
  )
}

/** Nothing that the page knows is from the cloud as it is now. */
function everythingIsNew(): void {
  window.location.reload()
}
