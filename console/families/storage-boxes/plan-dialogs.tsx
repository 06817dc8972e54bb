/** The plan by which snapshots of a Storage Box are made: a new one, another one, and none any more. */
import { useState } from 'react'
import type { ApiRequest } from '../../api/operations.ts'
import { typedNumber } from '../../lib/typed-number.ts'
import { ConfirmRequest } from '../../pages/shared/confirm-request.tsx'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Seg } from '../../ui/seg.tsx'
import type { ProblemsOf } from '../../ui/use-submit.ts'
import { number } from '../../words/format.ts'
import type { Box } from './box.ts'
import { nextText, type Plan, timeText, weekdayText } from './plan.ts'
import { snapshots as w } from './snapshots.words.ts'

export type PlanKind = 'plan' | 'noPlan'

interface DialogsProps {
  readonly box: Box
  readonly kind: PlanKind
  readonly onClose: () => void
}

export function PlanDialogs({ kind, ...rest }: DialogsProps) {
  return kind === 'plan' ? <PlanDialog {...rest} /> : <NoPlanDialog {...rest} />
}

type DialogProps = Omit<DialogsProps, 'kind'>

interface Fields {
  readonly rhythm: 'daily' | 'weekly' | 'monthly'
  /** `03:30` */
  readonly time: string
  /** Of a weekly plan. */
  readonly weekday: string
  readonly day: string
  /** The only day of the week on which a monthly plan goes by its day; '' for any. */
  readonly onlyOn: string
  readonly most: string
}

function fieldsOf(plan: Plan | null): Fields {
  if (!plan) return { rhythm: 'daily', time: '03:30', weekday: '1', day: '1', onlyOn: '', most: '7' }
  const { day_of_week: weekday, day_of_month: day, max_snapshots: most } = plan
  return {
    rhythm: day !== null ? 'monthly' : weekday !== null ? 'weekly' : 'daily',
    time: timeText(plan),
    weekday: String(weekday ?? 1),
    day: String(day ?? 1),
    onlyOn: day === null || weekday === null ? '' : String(weekday),
    most: String(most),
  }
}

/** The plan that the fields say; undefined while one of them says nothing. */
function planOf({ rhythm, time, weekday, day, onlyOn, most }: Fields): Plan | undefined {
  const [, hour, minute] = /^(\d\d):(\d\d)/.exec(time) ?? []
  const isDay = /^\d+$/.test(day) && Number(day) >= 1 && Number(day) <= 31
  const itsWeekday = { daily: '', weekly: weekday, monthly: onlyOn }[rhythm]
  if (hour === undefined || !(Number(most) >= 1) || !isDay) return undefined
  return {
    max_snapshots: typedNumber(most),
    hour: Number(hour),
    minute: Number(minute),
    day_of_week: itsWeekday === '' ? null : Number(itsWeekday),
    day_of_month: rhythm === 'monthly' ? Number(day) : null,
  }
}

function PlanDialog({ box: { id, name, snapshot_plan: plan, storage_box_type: type }, onClose }: DialogProps) {
  const [fields, setFields] = useState(() => fieldsOf(plan))
  const made = planOf(fields)
  const request: ApiRequest<'storage_boxes_enableSnapshotPlan'> | undefined = made && {
    operation: 'storage_boxes_enableSnapshotPlan',
    params: { id },
    body: made,
  }
  return (
    <FormDialog
      title={`${plan ? w.changePlan : w.enablePlan}: ${name}`}
      text={w.planFormText}
      act={plan ? w.changePlan : w.enableAct}
      request={request}
      families={['storage_boxes']}
      onClose={onClose}
    >
      {(problems) => (
        <PlanFields
          fields={fields}
          limit={type.automatic_snapshot_limit}
          next={made && nextText(made)}
          problems={problems}
          change={(part) => setFields((old) => ({ ...old, ...part }))}
        />
      )}
    </FormDialog>
  )
}

const rhythms = ['daily', 'weekly', 'monthly'] as const
const weekdays = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ value: String(day), label: weekdayText(day) }))

interface PlanFieldsProps {
  readonly fields: Fields
  /** The most that the type allows. */
  readonly limit: number | null
  readonly next: string | undefined
  readonly problems: ProblemsOf
  readonly change: (part: Partial<Fields>) => void
}

function PlanFields({ fields, limit, next, problems, change }: PlanFieldsProps) {
  return (
    <>
      <Seg
        label={w.rhythm}
        value={fields.rhythm}
        options={rhythms.map((value) => ({ value, label: w.rhythms[value] }))}
        onChange={(rhythm) => change({ rhythm })}
      />
      {fields.rhythm === 'weekly' && (
        <SelectField
          label={w.weekday}
          value={fields.weekday}
          options={weekdays}
          problems={problems('day_of_week')}
          onChange={(weekday) => change({ weekday })}
        />
      )}
      {fields.rhythm === 'monthly' && (
        <>
          <TextField
            label={w.day}
            hint={w.dayHint}
            inputMode="numeric"
            value={fields.day}
            problems={problems('day_of_month')}
            onChange={(day) => change({ day })}
          />
          <SelectField
            label={w.onlyOn}
            value={fields.onlyOn}
            options={[{ value: '', label: w.anyWeekday }, ...weekdays]}
            problems={problems('day_of_week')}
            onChange={(onlyOn) => change({ onlyOn })}
          />
        </>
      )}
      <TextField
        label={w.time}
        type="time"
        value={fields.time}
        problems={problems('hour')}
        onChange={(time) => change({ time })}
      />
      <TextField
        label={w.most}
        hint={limit === null ? undefined : w.mostHint(number(limit))}
        inputMode="numeric"
        value={fields.most}
        problems={problems('max_snapshots')}
        onChange={(most) => change({ most })}
      />
      {next !== undefined && (
        <p className="dim" role="status">
          {w.next}: {next}
        </p>
      )}
    </>
  )
}

function NoPlanDialog({ box: { id, name }, onClose }: DialogProps) {
  const request: ApiRequest<'storage_boxes_disableSnapshotPlan'> = {
    operation: 'storage_boxes_disableSnapshotPlan',
    params: { id },
  }
  return (
    <ConfirmRequest
      title={w.disablePlanTitle(name)}
      text={w.disablePlanText}
      act={w.disablePlan}
      request={request}
      families={['storage_boxes']}
      onClose={onClose}
    />
  )
}
