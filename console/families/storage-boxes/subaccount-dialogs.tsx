/** A subaccount of a Storage Box is changed in these dialogs. */
import { useState } from 'react'
import type { ApiRequest } from '../../api/operations.ts'
import { ConfirmRequest } from '../../pages/shared/confirm-request.tsx'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { Elsewhere } from '../../ui/elsewhere.tsx'
import { TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { common as c } from '../../words/common.ts'
import type { Box, Subaccount } from './box.ts'
import { FlagsField, subaccountFlags } from './flags.tsx'
import { faultOf, newPassword } from './password.ts'
import { PasswordField } from './password-field.tsx'
import { subaccounts as w } from './subaccounts.words.ts'
import { boxes as b } from './words.ts'

export type SubaccountKind = 'edit' | 'home' | 'access' | 'password' | 'delete'

interface OneProps {
  readonly box: Box
  readonly account: Subaccount
  readonly onClose: () => void
}

interface DialogsProps extends OneProps {
  readonly kind: SubaccountKind
  /** Called with a password once it is set. */
  readonly onSet: (password: string) => void
}

const families = ['storage_boxes']
const paramsOf = ({ box, account }: OneProps) => ({ id: box.id, subaccount_id: account.id })

export function SubaccountDialogs(props: DialogsProps) {
  const { kind } = props
  if (kind === 'edit') return <EditDialog {...props} />
  if (kind === 'home') return <HomeDialog {...props} />
  if (kind === 'access') return <AccessDialog {...props} />
  return kind === 'password' ? <PasswordDialog {...props} /> : <DeleteDialog {...props} />
}

function EditDialog(props: OneProps) {
  const { name, description, labels } = props.account
  const draft = useDraft({ name, description, labels: labels as LabelMap })
  const { value } = draft
  const request: ApiRequest<'storage_boxes_updateSubaccount'> = {
    operation: 'storage_boxes_updateSubaccount',
    params: paramsOf(props),
    body: { name: value.name.trim(), description: value.description, labels: { ...value.labels } },
  }
  return (
    <FormDialog
      title={w.editTitle(name)}
      act={c.save}
      request={request}
      isReady={value.name.trim() !== ''}
      isDirty={draft.isDirty}
      families={families}
      labels={labels}
      onClose={props.onClose}
    >
      {(problems) => (
        <>
          <TextField
            label={c.name}
            value={value.name}
            maxLength={50}
            problems={problems('name')}
            onChange={(name) => draft.change({ name })}
          />
          <TextField
            label={w.description}
            value={value.description}
            maxLength={1000}
            problems={problems('description')}
            onChange={(description) => draft.change({ description })}
          />
          <LabelsField
            value={value.labels}
            problems={problems('labels')}
            onChange={(labels) => draft.change({ labels })}
          />
          <Elsewhere {...draft} />
        </>
      )}
    </FormDialog>
  )
}

function HomeDialog(props: OneProps) {
  const { name, home_directory } = props.account
  const draft = useDraft({ home_directory })
  const home = draft.value.home_directory.trim()
  const request: ApiRequest<'storage_boxes_changeHomeDirectory'> = {
    operation: 'storage_boxes_changeHomeDirectory',
    params: paramsOf(props),
    body: { home_directory: home },
  }
  return (
    <FormDialog
      title={w.changeHomeTitle(name)}
      text={w.changeHomeText}
      act={w.changeHome}
      request={request}
      isReady={home !== ''}
      isDirty={draft.isDirty}
      families={families}
      onClose={props.onClose}
    >
      {(problems) => (
        <>
          <TextField
            label={w.home}
            hint={w.homeHint}
            isMono
            value={draft.value.home_directory}
            maxLength={999}
            problems={problems('home_directory')}
            onChange={(home_directory) => draft.change({ home_directory })}
          />
          <Elsewhere {...draft} />
        </>
      )}
    </FormDialog>
  )
}

function AccessDialog(props: OneProps) {
  const { name, access_settings } = props.account
  const draft = useDraft({ access_settings })
  const request: ApiRequest<'storage_boxes_updateSubaccountAccess'> = {
    operation: 'storage_boxes_updateSubaccountAccess',
    params: paramsOf(props),
    body: { ...draft.value.access_settings },
  }
  return (
    <FormDialog
      title={w.changeAccessTitle(name)}
      act={w.changeAccess}
      request={request}
      isDirty={draft.isDirty}
      families={families}
      onClose={props.onClose}
    >
      <FlagsField
        flags={subaccountFlags}
        value={draft.value.access_settings}
        onChange={(access_settings) => draft.change({ access_settings })}
      />
      <Elsewhere {...draft} />
    </FormDialog>
  )
}

function PasswordDialog(props: DialogsProps) {
  const [password, setPassword] = useState(newPassword)
  const request: ApiRequest<'storage_boxes_resetSubaccountPassword'> = {
    operation: 'storage_boxes_resetSubaccountPassword',
    params: paramsOf(props),
    body: { password },
  }
  return (
    <FormDialog
      title={b.resetPasswordTitle(props.account.name)}
      text={b.resetPasswordText}
      act={b.resetPassword}
      isReady={faultOf(password) === undefined}
      request={request}
      families={families}
      onDone={() => props.onSet(password)}
      onClose={props.onClose}
    >
      {(problems) => <PasswordField value={password} problems={problems('password')} onChange={setPassword} />}
    </FormDialog>
  )
}

function DeleteDialog(props: OneProps) {
  const request: ApiRequest<'storage_boxes_removeSubaccount'> = {
    operation: 'storage_boxes_removeSubaccount',
    params: paramsOf(props),
  }
  return (
    <ConfirmRequest
      title={w.removeTitle(props.account.name)}
      text={w.removeText}
      act={w.remove}
      request={request}
      families={families}
      onClose={props.onClose}
    />
  )
}
