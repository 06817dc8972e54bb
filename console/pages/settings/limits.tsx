/** How much a Project may have, and how much of that it has. Operators change it. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi, useOutdate } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { Progress } from '../../ui/progress.tsx'
import { type Column, ListFrame, nameClass, Table, workClass } from '../../ui/table.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { access } from '../../words/en/access.ts'
import { common } from '../../words/en/common.ts'
import { number } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'

const words = wordsOf('access', access)
const w = words.settings
const c = wordsOf('common', common)

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
          nameOf={({ kind }) => words.kinds(kind)}
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
        <span className={nameClass}>{words.kinds(kind)}</span>
        {own && <small>{w.own}</small>}
      </>
    ),
  },
  {
    key: 'used',
    label: w.used,
    card: 'stat',
    cell: ({ kind, used, limit }) =>
      limit === null ? (
        number(used)
      ) : (
        <span className={workClass}>
          {w.use(number(used), number(limit))}
          <Progress
            value={limit === 0 ? 100 : Math.min(100, (used * 100) / limit)}
            tone={used >= limit ? 'bad' : used * 5 >= limit * 4 ? 'warn' : 'ink'}
            label={words.kinds(kind)}
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
  const outdate = useOutdate()
  const submit = useSubmit()
  const [text, setText] = useState(limit.limit === null ? '' : String(limit.limit))
  const asked = text.trim()
  const isValid = asked === '' || asked === 'default' || /^\d{1,9}$/.test(asked)
  const save = async () => {
    if (!isValid) return
    const value = asked === '' ? null : asked === 'default' ? 'default' : Number(asked)
    const isSaved = await submit.run(async () => {
      const params = { project_id: api.project ?? 0 }
      await api.call('management_setLimits', { params, body: { limits: { [limit.kind]: value } } })
      await outdate('management')
    })
    if (isSaved) onClose()
  }
  return (
    <Dialog
      title={w.limitTitle(words.kinds(limit.kind))}
      onClose={onClose}
      onSubmit={() => void save()}
      footer={
        <span className="end row">
          <Button onClick={onClose}>{c.cancel}</Button>
          <Button type="submit" look="primary" isBusy={submit.isBusy} disabled={!isValid}>
            {c.save}
          </Button>
        </span>
      }
    >
      <TextField
        label={w.limitLabel}
        hint={w.limitHint}
        value={text}
        onChange={setText}
        autoFocus
        problems={isValid ? undefined : [w.limitProblem]}
      />
      {submit.cause !== undefined && <FailureNote cause={submit.cause} />}
    </Dialog>
  )
}
