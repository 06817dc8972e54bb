/** The settings of a zone: TTL, where a copy comes from, protection, labels, and its end. */
import type { ReactNode } from 'react'
import { useApi } from '../../api/api.ts'
import type { AnyRequest } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { typedNumber } from '../../lib/typed-number.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { type Submission, useSubmission } from '../../pages/shared/submit.ts'
import { Commands } from '../../shell/commands.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { sent } from '../../ui/dialog-props.ts'
import { Elsewhere } from '../../ui/elsewhere.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { Columns } from '../../ui/page.tsx'
import { State } from '../../ui/state.tsx'
import { Ago } from '../../ui/time.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { type DraftOf, useDraft } from '../../ui/use-draft.ts'
import { common as c } from '../../words/common.ts'
import { resources as r } from '../../words/resources.ts'
import { newPrimary, PrimariesField, type PrimaryDraft, primariesOf } from './primaries-field.tsx'
import { zones as w } from './words.ts'
import { delegationOf, ttlText, type Zone, zoneActs } from './zone.ts'
import { ZoneHead } from './zone-head.tsx'

export function ZoneSettings({ zone }: { readonly zone: Zone }) {
  return (
    <>
      <ZoneHead zone={zone} tab="settings" />
      <Columns label={w.delegationTitle} aside={<DelegationCard zone={zone} />}>
        {zone.mode === 'primary' ? <Ttl zone={zone} /> : <Primaries zone={zone} />}
        <LabelsCard zone={zone} />
        <Danger zone={zone} />
      </Columns>
    </>
  )
}

interface SettingProps {
  readonly title: string
  readonly request: AnyRequest
  readonly form: Submission
  readonly act: string
  readonly draft: Pick<DraftOf<object>, 'isDirty' | 'isElsewhere' | 'view' | 'overwrite'>
  readonly children: ReactNode
}

/** One setting with its own button and command. */
function Setting({ title, request, form, act, draft, children }: SettingProps) {
  const isChanged = draft.isDirty
  useUnsaved(isChanged && !form.isBusy)
  const reason = useReason(request.operation)
  return (
    <Card title={title} padded>
      <form className="stack" onSubmit={sent(() => isChanged && reason === undefined && form.send())} noValidate>
        {children}
        <Elsewhere {...draft} />
        {form.cause !== undefined && <FailureNote cause={form.cause} />}
        <div className="row">
          <Button type="submit" isBusy={form.isBusy} reason={reason ?? (isChanged ? undefined : w.unchanged)}>
            {act}
          </Button>
        </div>
        {isChanged && <Commands request={request} />}
      </form>
    </Card>
  )
}

/** Sends what a setting asks for. */
function useSetting(request: AnyRequest, saved: () => void): Submission {
  const api = useApi()
  const outdate = useOutdate()
  return useSubmission(async () => {
    const { operation, ...input } = request
    await api.call(operation, input as never)
    saved()
    await outdate('zones')
  })
}

function Ttl({ zone }: { readonly zone: Zone }) {
  const draft = useDraft({ ttl: String(zone.ttl) })
  const { ttl } = draft.value
  const request = {
    operation: 'zones_changeTtl',
    params: { id_or_name: zone.name },
    body: { ttl: typedNumber(ttl) },
  } as const
  const form = useSetting(request, () => draft.saved(draft.value))
  return (
    <Setting title="TTL" {...{ request, form, draft }} act={w.changeTtl}>
      <TextField
        label={w.ttl}
        hint={Number(ttl) > 0 ? `${w.ttlHint} ${ttlText(Number(ttl))}` : w.ttlHint}
        inputMode="numeric"
        value={ttl}
        onChange={(ttl) => draft.change({ ttl })}
        problems={form.problems('ttl')}
      />
    </Setting>
  )
}

function Primaries({ zone }: { readonly zone: Zone }) {
  const draft = useDraft<{ readonly drafts: readonly PrimaryDraft[] }>({
    drafts: zone.primary_nameservers.map(({ address, port, tsig_algorithm: algorithm, tsig_key: secret }, place) => ({
      ...newPrimary({ address, port: String(port), algorithm: algorithm ?? 'none', secret: secret ?? '' }),
      key: -1 - place,
    })),
  })
  const { drafts } = draft.value
  const body = { primary_nameservers: primariesOf(drafts) }
  const request = {
    operation: 'zones_changePrimaryNameservers',
    params: { id_or_name: zone.name },
    body,
  } as const
  const form = useSetting(request, () => draft.saved(draft.value))
  return (
    <Setting title={w.primaries} {...{ request, form, draft }} act={w.changePrimaries}>
      <PrimariesField value={drafts} onChange={(drafts) => draft.change({ drafts })} form={form} />
    </Setting>
  )
}

function LabelsCard({ zone }: { readonly zone: Zone }) {
  const draft = useDraft<{ readonly labels: LabelMap }>({ labels: zone.labels })
  const { labels } = draft.value
  const request = {
    operation: 'zones_update',
    params: { id_or_name: zone.name },
    body: { labels: { ...labels } },
  } as const
  const form = useSetting(request, () => draft.saved(draft.value))
  const isFixed = useReason('zones_update') !== undefined
  return (
    <Setting title={c.labels} {...{ request, form, draft }} act={c.save}>
      <LabelsField
        value={labels}
        onChange={(labels) => draft.change({ labels })}
        problems={form.problems('labels')}
        isFixed={isFixed}
      />
    </Setting>
  )
}

function Danger({ zone }: { readonly zone: Zone }) {
  const acts = useResourceActs(zoneActs)
  const mayRemove = useReason('zones_remove')
  const mayProtect = useReason('zones_changeProtection')
  const isProtected = zone.protection.delete
  return (
    <Card title={r.protection} padded>
      <p className="dim">{isProtected ? w.protectedText : w.unprotectedText}</p>
      <div className="row wrap">
        <Button icon="lock" reason={mayProtect} onClick={() => void acts.protect(zone)}>
          {isProtected ? r.unprotect : r.protect}
        </Button>
        <Button
          look="danger"
          icon="trash"
          reason={mayRemove ?? (isProtected ? r.isProtected : undefined)}
          onClick={() => acts.ask({ kind: 'delete', row: zone })}
        >
          {w.deleteAct}
        </Button>
      </div>
      {acts.dialogs}
    </Card>
  )
}

function DelegationCard({ zone }: { readonly zone: Zone }) {
  const { assigned, delegated, delegation_last_check: checked } = zone.authoritative_nameservers
  const { mood, text, advice } = delegationOf(zone)
  return (
    <Card title={w.delegationTitle} footer={advice}>
      <List>
        <li>
          <State mood={mood}>{text}</State>
          <span className="end faint">{checked && <Ago time={checked} />}</span>
        </li>
        {assigned.map((name) => (
          <li key={name}>
            <Copyable text={name} />
            <span className="end faint">{delegated.includes(name) ? w.isDelegated : w.isAssigned}</span>
          </li>
        ))}
        {delegated
          .filter((name) => !assigned.includes(name))
          .map((name) => (
            <li key={name}>
              <span className="mono">{name}</span>
              <span className="end faint">{w.isElsewhere}</span>
            </li>
          ))}
      </List>
    </Card>
  )
}
