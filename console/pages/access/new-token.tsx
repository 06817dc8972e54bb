/** Creates a token. Its text is shown in the dialog that follows, once. */
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { InputOf, ReplyFor } from '../../api/operations.ts'
import { Check } from '../../ui/check.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Tiles } from '../../ui/tile.tsx'
import type { ProblemsOf } from '../../ui/use-submit.ts'
import { access as english } from '../../words/access.ts'
import { FormDialog } from '../shared/form-dialog.tsx'
import { emptyScope, ScopeFields, scopeOf, scopeProblems } from './scope-fields.tsx'

const w = english.tokens

const days = { never: 0, week: 7, month: 30, quarter: 90, year: 365, other: 0 } as const
type Expiry = keyof typeof days
const expiries = Object.keys(days) as Expiry[]

/** Returns the expiry of a token for the API; undefined for never, and while the time is not complete. */
function expiryOf(expiry: Expiry, at: string): string | undefined {
  const seconds = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
  if (expiry === 'other') return Number.isNaN(Date.parse(at)) ? undefined : seconds(Date.parse(at))
  if (expiry === 'never') return undefined
  // The time is cut to the minute, so that the command beside the form stands still while it is read.
  return seconds(Math.floor(Date.now() / 60_000) * 60_000 + days[expiry] * 86_400_000)
}

interface NewTokenProps {
  readonly onCreated: (made: ReplyFor<'management_createToken'>) => void
  readonly onClose: () => void
}

function useDraft(project: number) {
  const [name, setName] = useState('')
  const [access, choose] = useState<'read' | 'read_write'>('read_write')
  const [expiry, setExpiry] = useState<Expiry>('never')
  const [at, setAt] = useState('')
  const [isLimited, limit] = useState(false)
  const [scope, setScope] = useState(emptyScope)
  const expires = expiryOf(expiry, at)
  const limits = isLimited ? scopeOf(scope) : {}
  const hasTime = expiry !== 'other' || expires !== undefined
  const isPast = expires !== undefined && Date.parse(expires) <= Date.now()
  const hasScope = !isLimited || Object.keys(scopeProblems(scope)).length === 0
  const input: InputOf<'management_createToken'> = {
    params: { project_id: project },
    body: {
      name: name.trim(),
      access,
      ...(Object.keys(limits).length > 0 ? { scope: limits } : {}),
      ...(expires ? { expires } : {}),
    },
  }
  const isReady = name.trim() !== '' && hasTime && hasScope
  return {
    name,
    setName,
    access,
    choose,
    expiry,
    setExpiry,
    at,
    setAt,
    isLimited,
    limit,
    scope,
    setScope,
    input,
    isPast,
    isReady,
  }
}

export function NewToken({ onCreated, onClose }: NewTokenProps) {
  const api = useApi()
  const draft = useDraft(api.project ?? 0)
  return (
    <FormDialog
      title={w.create}
      act={w.create}
      isWide
      request={{ operation: 'management_createToken', ...draft.input }}
      isReady={draft.isReady}
      reason={draft.isPast ? w.expiryPast : undefined}
      families={[]}
      onDone={onCreated}
      onClose={onClose}
    >
      {(problems) => <Fields draft={draft} problems={problems} />}
    </FormDialog>
  )
}

interface FieldsProps {
  readonly draft: ReturnType<typeof useDraft>
  readonly problems: ProblemsOf
}

function Fields({ draft, problems }: FieldsProps) {
  return (
    <>
      <TextField
        label={w.name}
        hint={w.nameHint}
        value={draft.name}
        onChange={draft.setName}
        maxLength={128}
        autoFocus
        problems={problems('name')}
      />
      <Tiles
        name="access"
        value={draft.access}
        options={(['read_write', 'read'] as const).map((value) => ({ value, title: w.accesses[value] }))}
        onChange={draft.choose}
      />
      <SelectField
        label={w.expiry}
        value={draft.expiry}
        options={expiries.map((value) => ({ value, label: w.expiries[value] }))}
        onChange={draft.setExpiry}
      />
      {draft.expiry === 'other' && (
        <TextField
          label={w.expiryAt}
          type="datetime-local"
          value={draft.at}
          onChange={draft.setAt}
          problems={draft.isPast ? [w.expiryPast] : problems('expires')}
        />
      )}
      <Check kind="switch" checked={draft.isLimited} onChange={draft.limit}>
        {w.limit}
      </Check>
      {draft.isLimited && <ScopeFields value={draft.scope} onChange={draft.setScope} />}
    </>
  )
}
