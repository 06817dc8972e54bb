/** Another type and another password for a Storage Box. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { aMonth, money } from '../../lib/money.ts'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { prices as p } from '../../words/prices.ts'
import { resources as r } from '../../words/resources.ts'
import { ratesIn } from '../pricing/lines.ts'
import type { Box, BoxType } from './box.ts'
import { faultOf, newPassword } from './password.ts'
import { PasswordField } from './password-field.tsx'
import { sizeText } from './usage.ts'
import { boxes as w } from './words.ts'

interface BoxDialogProps {
  readonly box: Box
  readonly onClose: () => void
}

export function TypeDialog({ box, onClose }: BoxDialogProps) {
  const { id, name, storage_box_type: current, location, stats } = box
  const api = useApi()
  const { data: types } = useSuspenseQuery(api.list('storage_box_types_list', {}))
  const { currency } = useSuspenseQuery(api.query('pricing_get', {})).data.pricing
  const [chosen, choose] = useState(current.name)
  const type = types.find((one) => one.name === chosen)
  const costOf = (one: BoxType | undefined) => one && ratesIn(one.prices, location.name)?.monthly
  const [from, to] = [costOf(current), costOf(type)]
  const label = (one: BoxType) => {
    const cost = costOf(one)
    return [one.name, sizeText(one.size), cost ? aMonth(cost, currency) : p.notThere].join(' · ')
  }
  const request: ApiRequest<'storage_boxes_changeType'> = {
    operation: 'storage_boxes_changeType',
    params: { id },
    body: { storage_box_type: chosen },
  }
  return (
    <FormDialog
      title={w.changeTypeTitle(name)}
      text={w.changeTypeText}
      act={w.changeType}
      request={chosen === current.name ? undefined : request}
      reason={type && type.size < stats.size ? w.tooSmall(type.name) : undefined}
      families={['storage_boxes']}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <SelectField
            label={r.type}
            value={chosen}
            options={types.map((one) => ({
              value: one.name,
              label: label(one),
              isOff: costOf(one) === undefined && one.name !== current.name,
            }))}
            problems={problems('storage_box_type')}
            onChange={choose}
          />
          <p className="dim" role="status">
            {chosen !== current.name && from && to && p.change(money(from, currency), money(to, currency))}
          </p>
        </>
      )}
    </FormDialog>
  )
}

interface PasswordDialogProps extends BoxDialogProps {
  /** Called with the password once it is set. */
  readonly onSet: (password: string) => void
}

export function PasswordDialog({ box: { id, name }, onSet, onClose }: PasswordDialogProps) {
  const [password, setPassword] = useState(newPassword)
  const request: ApiRequest<'storage_boxes_resetPassword'> = {
    operation: 'storage_boxes_resetPassword',
    params: { id },
    body: { password },
  }
  return (
    <FormDialog
      title={w.resetPasswordTitle(name)}
      text={w.resetPasswordText}
      act={w.resetPassword}
      isReady={faultOf(password) === undefined}
      request={request}
      families={['storage_boxes']}
      onDone={() => onSet(password)}
      onClose={onClose}
    >
      {(problems) => <PasswordField value={password} problems={problems('password')} onChange={setPassword} />}
    </FormDialog>
  )
}
