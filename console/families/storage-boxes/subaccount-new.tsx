/** A new subaccount of a Storage Box. */
import { useState } from 'react'
import type { ApiRequest } from '../../api/operations.ts'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import type { Password } from '../../pages/shared/passwords-dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { common as c } from '../../words/common.ts'
import type { Box } from './box.ts'
import { FlagsField, subaccountFlags } from './flags.tsx'
import { faultOf, newPassword } from './password.ts'
import { PasswordField } from './password-field.tsx'
import { subaccounts as w } from './subaccounts.words.ts'

interface CreateProps {
  readonly box: Box
  /** Called with the password, which nobody can see later. */
  readonly onMade: (made: Password) => void
  readonly onClose: () => void
}

/** The form begins with the flags of the box. */
function begun({ access_settings: access }: Box) {
  return {
    name: '',
    home: '',
    description: '',
    password: newPassword(),
    access: {
      ssh_enabled: access.ssh_enabled,
      webdav_enabled: access.webdav_enabled,
      reachable_externally: access.reachable_externally,
      readonly: false,
      samba_enabled: false,
    },
    labels: {} as LabelMap,
  }
}

type Fields = ReturnType<typeof begun>

function bodyOf({ name, home, description, password, access, labels }: Fields) {
  const on = subaccountFlags.filter((flag) => access[flag])
  return {
    home_directory: home.trim(),
    password,
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    ...(description.trim() === '' ? {} : { description: description.trim() }),
    ...(on.length > 0 ? { access_settings: Object.fromEntries(on.map((flag) => [flag, true])) } : {}),
    ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}),
  }
}

export function CreateDialog({ box, onMade, onClose }: CreateProps) {
  const [fields, setFields] = useState(() => begun(box))
  const change = (part: Partial<Fields>) => setFields((old) => ({ ...old, ...part }))
  const { name, home, description, password, access, labels } = fields
  const request: ApiRequest<'storage_boxes_createSubaccount'> = {
    operation: 'storage_boxes_createSubaccount',
    params: { id: box.id },
    body: bodyOf(fields),
  }
  return (
    <FormDialog
      title={w.createTitle(box.name)}
      act={w.create}
      request={request}
      isReady={home.trim() !== '' && faultOf(password) === undefined}
      families={['storage_boxes']}
      onDone={() => onMade({ name: name.trim() || home.trim(), password })}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <TextField
            label={w.home}
            hint={w.homeHint}
            isMono
            value={home}
            maxLength={999}
            problems={problems('home_directory')}
            onChange={(home) => change({ home })}
          />
          <TextField
            label={c.name}
            hint={w.nameHint}
            value={name}
            maxLength={50}
            problems={problems('name')}
            onChange={(name) => change({ name })}
          />
          <TextField
            label={w.description}
            value={description}
            maxLength={1000}
            problems={problems('description')}
            onChange={(description) => change({ description })}
          />
          <PasswordField
            value={password}
            problems={problems('password')}
            onChange={(password) => change({ password })}
          />
          <FlagsField flags={subaccountFlags} value={access} onChange={(access) => change({ access })} />
          <LabelsField value={labels} problems={problems('labels')} onChange={(labels) => change({ labels })} />
        </>
      )}
    </FormDialog>
  )
}
