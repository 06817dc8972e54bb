/** Editing a set of records: the parts of each value by its type, a comment, and the TTL. */
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { AnyRequest, BodyFor } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { joinRdata, rdataFields, splitRdata } from '../../lib/rdata.ts'
import { typedNumber } from '../../lib/typed-number.ts'
import { type Submission, useSubmission } from '../../pages/shared/submit.ts'
import { Commands } from '../../shell/commands.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { sent } from '../../ui/dialog-props.ts'
import { DeletedElsewhere, Elsewhere } from '../../ui/elsewhere.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { common as c } from '../../words/common.ts'
import { zones as w } from './words.ts'
import type { Rrset, Zone } from './zone.ts'
import styles from './zones.module.css'

type RecordType = Rrset['type']
/** Most records that one request sets. */
const mostRecords = 50
const types = Object.keys(rdataFields) as RecordType[]
const commonTypes: readonly RecordType[] = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS']

interface RecordDraft {
  readonly key: number
  readonly parts: readonly string[]
  /** A value that does not have the form of its type, as one text. */
  readonly whole?: string
  readonly comment: string
}

interface RrsetDraft {
  readonly name: string
  readonly type: RecordType
  readonly ttl: string
  readonly records: readonly RecordDraft[]
}

/** The records of a set are told apart by their places, new ones by numbers beyond. */
let last = 1_000

function draftOf(type: RecordType, value: string, comment: string, key = ++last): RecordDraft {
  const parts = value === '' ? rdataFields[type].map(() => '') : splitRdata(type, value)
  return { key, comment, ...(parts ? { parts } : { parts: [], whole: value }) }
}

function draftOfSet({ name, type, ttl, records }: Rrset): RrsetDraft {
  return {
    name,
    type,
    ttl: ttl === null ? '' : String(ttl),
    records: records.map(({ value, comment }, place) => draftOf(type, value, comment, place)),
  }
}

interface RrsetEditorProps {
  readonly zone: Zone
  /** The set when it was opened; absent for a new one. */
  readonly rrset?: Rrset | undefined
  /** The set as it is now; absent when it was deleted elsewhere. */
  readonly current?: Rrset | undefined
  readonly onDone: () => void
}

export function RrsetEditor({ zone, rrset, current, onDone }: RrsetEditorProps) {
  const [begun] = useState<RrsetDraft>(() =>
    rrset ? draftOfSet(rrset) : { name: '', type: 'A', ttl: '', records: [draftOf('A', '', '')] },
  )
  const draft = useDraft(current ? draftOfSet(current) : begun)
  const { name, type, ttl, records: drafts } = draft.value
  const setDrafts = (next: readonly RecordDraft[]) => draft.change({ records: next })
  const records = drafts.map(({ parts, whole, comment }) => ({
    value: whole ?? joinRdata(type, parts),
    ...(comment ? { comment } : {}),
  }))
  const content = { name: name.trim() || '@', type, ttl: ttl.trim() ? typedNumber(ttl) : null, records }
  const requests = current ? changesOf(zone, current, content) : [creationOf(zone, content)]
  const form = useSending(requests, onDone)
  useUnsaved(draft.isDirty && !form.isBusy, 'view')
  const choose = (next: RecordType) => draft.change({ type: next, records: [draftOf(next, '', '')] })
  const change = (key: number, part: Partial<RecordDraft>) =>
    setDrafts(drafts.map((one) => (one.key === key ? { ...one, ...part } : one)))
  return (
    <form className="stack" onSubmit={sent(form.send)} noValidate aria-label={rrset ? `${name} ${type}` : w.newRecord}>
      {!rrset && (
        <div className={styles.parts}>
          <TextField
            label={w.recordName}
            hint={w.recordNameHint(zone.name)}
            placeholder="@"
            isMono
            autoFocus
            value={name}
            onChange={(text) => draft.change({ name: text.toLowerCase() })}
            problems={form.problems('name')}
          />
          <SelectField label={w.type} value={type} options={typeOptions} onChange={choose} />
        </div>
      )}
      {drafts.map((draft, index) => (
        <RecordFields
          key={draft.key}
          {...{ draft, type, index, form }}
          isFirst={index === 0 && rrset !== undefined}
          onChange={(part) => change(draft.key, part)}
          onRemove={drafts.length > 1 ? () => setDrafts(drafts.filter(({ key }) => key !== draft.key)) : undefined}
        />
      ))}
      <div className={styles.parts}>
        <TextField
          label={w.ttlSeconds}
          hint={w.ttlOwnHint(String(zone.ttl))}
          inputMode="numeric"
          placeholder={String(zone.ttl)}
          value={ttl}
          onChange={(ttl) => draft.change({ ttl })}
          problems={form.problems('ttl')}
        />
      </div>
      <Elsewhere {...draft} />
      {rrset && !current && <DeletedElsewhere />}
      {form.cause !== undefined && <FailureNote cause={form.cause} />}
      <div className="row wrap">
        <Button
          type="submit"
          look="primary"
          isBusy={form.isBusy}
          reason={requests.length === 0 ? w.unchanged : undefined}
        >
          {current ? w.saveRecords : w.createRecords(records.length)}
        </Button>
        <Button look="quiet" onClick={onDone}>
          {c.cancel}
        </Button>
        {drafts.length < mostRecords && type !== 'CNAME' && type !== 'SOA' && (
          <span className="end">
            <Button small icon="plus" onClick={() => setDrafts([...drafts, draftOf(type, '', '')])}>
              {w.addValue}
            </Button>
          </span>
        )}
      </div>
      {requests.map((request) => (
        <Commands key={request.operation} request={request} />
      ))}
    </form>
  )
}

const typeOptions = [...commonTypes, ...types.filter((type) => !commonTypes.includes(type) && type !== 'SOA')].map(
  (type) => ({ value: type, label: w.typeLabel(type, w.typeTexts[type]) }),
)

interface RecordFieldsProps {
  readonly draft: RecordDraft
  readonly type: RecordType
  readonly index: number
  readonly form: Submission
  readonly isFirst: boolean
  readonly onChange: (part: Partial<RecordDraft>) => void
  readonly onRemove: (() => void) | undefined
}

function RecordFields({ draft, type, index, form, isFirst, onChange, onRemove }: RecordFieldsProps) {
  const problems = form.problems(`records[${index}].value`) ?? form.problems(`records[${index}]`)
  const set = (at: number, text: string) => onChange({ parts: draft.parts.map((one, i) => (i === at ? text : one)) })
  return (
    <fieldset className={styles.parts} aria-label={w.value(index + 1)}>
      {draft.whole === undefined ? (
        rdataFields[type].map(({ name, kind, example }, at) => (
          <div key={name} className={kind === 'number' ? styles.short : undefined}>
            <TextField
              label={w.parts[name as keyof typeof w.parts] ?? name}
              isMono
              placeholder={example}
              {...(kind === 'number' ? { inputMode: 'numeric' } : {})}
              autoFocus={isFirst && at === 0}
              value={draft.parts[at] ?? ''}
              onChange={(text) => set(at, text)}
              problems={at === rdataFields[type].length - 1 ? problems : undefined}
            />
          </div>
        ))
      ) : (
        <TextField
          label={w.values}
          isMono
          value={draft.whole}
          problems={problems}
          onChange={(whole) => onChange({ whole })}
        />
      )}
      <TextField
        label={w.comment}
        value={draft.comment}
        onChange={(comment) => onChange({ comment })}
        problems={form.problems(`records[${index}].comment`)}
      />
      {onRemove && <IconButton icon="trash" label={w.removeValue(index + 1)} onClick={onRemove} />}
    </fieldset>
  )
}

// ---- Requests --------------------------------------------------------------------------------------------------------

type Content = Required<Pick<BodyFor<'zones_createRrset'>, 'name' | 'type' | 'records'>> & {
  readonly ttl: number | null
}

function creationOf(zone: Zone, { ttl, ...content }: Content): AnyRequest {
  return {
    operation: 'zones_createRrset',
    params: { id_or_name: zone.name },
    body: { ...content, ...(ttl === null ? {} : { ttl }) },
  }
}

/** The requests that make a set what it should be; none where it is so already. */
function changesOf(zone: Zone, rrset: Rrset, { ttl, records }: Content): readonly AnyRequest[] {
  const params = { id_or_name: zone.name, rr_name: rrset.name, rr_type: rrset.type }
  const before = rrset.records.map(({ value, comment }) => ({ value, ...(comment ? { comment } : {}) }))
  const isSame = JSON.stringify(before) === JSON.stringify(records)
  return [
    ...(isSame ? [] : [{ operation: 'zones_setRecords', params, body: { records } } as const]),
    ...(ttl === rrset.ttl ? [] : [{ operation: 'zones_changeRrsetTtl', params, body: { ttl } } as const]),
  ]
}

function useSending(requests: readonly AnyRequest[], onDone: () => void): Submission {
  const api = useApi()
  const outdate = useOutdate()
  return useSubmission(async () => {
    try {
      for (const { operation, ...input } of requests) await api.call(operation, input as never)
    } finally {
      await outdate('zones')
    }
    onDone()
  })
}
