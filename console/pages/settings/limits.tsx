/** The limits of a Project, and how much of each it uses. Operators change them. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { useReason } from '../../shell/may.ts'
import { TextField } from '../../ui/field.tsx'
import { Progress } from '../../ui/progress.tsx'
import { type Column, ListFrame, nameClass, Table, workClass } from '../../ui/table.tsx'
import { access } from '../../words/access.ts'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { FormDialog } from '../shared/form-dialog.tsx'
import { kindName } from '../shared/kinds.ts'
import { limitOf } from '../shared/limit.ts'

const w = access.settings

type Limit = ReplyFor<'management_getLimits'>['limits'][number]

export function LimitsCard() {
  const api = useApi()
  const params = { project_id: api.project ?? 0 }
  const { data } = useSuspenseQuery(api.query('management_getLimits', { params }))
  const [open, setOpen] = useState<Limit>()
  const reason = useReason('management_setLimits')
  const ids = new Map(data.limits.map(({ kind }, index) => [kind, index + 1]))
  return (
    <section className="stack" aria-label={w.limits}>
      <h2>{w.limits}</h2>
      <ListFrame>
        <Table
          caption={w.limits}
          columns={columns}
          rows={data.limits}
          idOf={({ kind }) => ids.get(kind) ?? 0}
          nameOf={({ kind }) => kindName(kind)}
          menu={(limit) => [{ key: 'change', label: w.change, reason, onSelect: () => setOpen(limit) }]}
          isTight
        />
      </ListFrame>
      {open && <LimitDialog limit={open} onClose={() => setOpen(undefined)} />}
    </section>
  )
}

const columns: readonly Column<Limit>[] = [
  {
    key: 'kind',
    label: w.kind,
    card: 'key',
    cell: ({ kind, own }) => (
      <>
        <span className={nameClass}>{kindName(kind)}</span>
        {own && <small>{w.own}</small>}
      </>
    ),
  },
  {
    key: 'used',
    label: w.used,
    card: 'stat',
    cell: ({ kind, used, limit }) =>
      used === null ? (
        <span className="dim">{w.uncounted}</span>
      ) : limit === null ? (
        number(used)
      ) : (
        <span className={workClass}>
          {w.use(number(used), number(limit))}
          <Progress
            value={limit === 0 ? 100 : Math.min(100, (used * 100) / limit)}
            tone={used >= limit ? 'bad' : used * 5 >= limit * 4 ? 'warn' : 'ink'}
            label={kindName(kind)}
          />
        </span>
      ),
  },
  {
    key: 'limit',
    label: w.limit,
    isEnd: true,
    cell: ({ limit }) => (limit === null ? <span className="dim">{w.unlimited}</span> : number(limit)),
  },
]

function LimitDialog({ limit, onClose }: { readonly limit: Limit; readonly onClose: () => void }) {
  const api = useApi()
  const [text, setText] = useState(limit.limit === null ? '' : String(limit.limit))
  const value = limitOf(text)
  const params = { project_id: api.project ?? 0 }
  return (
    <FormDialog
      title={w.limitTitle(kindName(limit.kind))}
      act={c.save}
      request={
        value === undefined
          ? undefined
          : { operation: 'management_setLimits', params, body: { limits: { [limit.kind]: value } } }
      }
      families={['management']}
      onClose={onClose}
    >
      {() => (
        <TextField
          label={w.limitLabel}
          hint={w.limitHint}
          value={text}
          onChange={setText}
          autoFocus
          problems={value === undefined ? [w.limitProblem] : undefined}
        />
      )}
    </FormDialog>
  )
}
