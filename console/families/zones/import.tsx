/** Importing a zone file: what would be added, changed and removed is shown before it is sent in one request. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { linkTo } from '../../families.ts'
import { provideBytes } from '../../lib/bytes.ts'
import { useSubmission } from '../../pages/shared/submit.ts'
import { Commands } from '../../shell/commands.tsx'
import { useReason } from '../../shell/may.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { sent } from '../../ui/dialog-props.ts'
import { Empty } from '../../ui/empty.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { useGo } from '../../ui/link.tsx'
import { Note } from '../../ui/note.tsx'
import { Halves } from '../../ui/page.tsx'
import { Seg } from '../../ui/seg.tsx'
import { toast } from '../../ui/toasts.ts'
import { useUnsaved } from '../../ui/unsaved.ts'
import { common as c } from '../../words/common.ts'
import { list } from '../../words/format.ts'
import { DiffList, DiffSummary } from './diff.tsx'
import type { Comparison, How } from './import-preview.ts'
import { SourceCard } from './source.tsx'
import { zones as w } from './words.ts'
import { type Rrset, ttlText, useZone, type Zone } from './zone.ts'
import { ZoneHead } from './zone-head.tsx'
import styles from './zones.module.css'

export function ImportPage() {
  const { zone } = useZone()
  return (
    <>
      <ZoneHead zone={zone} tab="import" />
      {zone.mode === 'primary' ? <Import zone={zone} /> : <Empty title={w.copyTitle} text={w.copyText} />}
    </>
  )
}

/** Compares after each change of the text, once its parser is there. */
function useComparison(zone: Zone, rrsets: readonly Rrset[], text: string, how: How): Comparison | undefined {
  const later = useDeferredValue(text)
  const [comparison, setComparison] = useState<Comparison>()
  useEffect(() => {
    let isOver = false
    if (later.trim() === '') return setComparison(undefined)
    const work = async () => {
      provideBytes()
      const { compare } = await import('./import-preview.ts')
      const { name, ttl, authoritative_nameservers: nameservers } = zone
      if (!isOver) setComparison(compare({ name, ttl, nameservers: nameservers.assigned, rrsets }, later, how))
    }
    void work()
    return () => {
      isOver = true
    }
  }, [zone, rrsets, later, how])
  return comparison
}

function Import({ zone }: { readonly zone: Zone }) {
  const api = useApi()
  const outdate = useOutdate()
  const go = useGo()
  const link = linkTo('zones', 'one', { zone: zone.name })
  const [text, setText] = useState('')
  const [file, setFile] = useState('')
  const [how, setHow] = useState<How>('merge')
  const { data: rrsets } = useSuspenseQuery(api.list('zones_listRrsets', { params: { id_or_name: zone.name } }))
  const comparison = useComparison(zone, rrsets, text, how)
  const shielded = rrsets.filter(({ protection }) => protection.change).map(({ id }) => id)
  const mayImport = useReason('zones_importZonefile')
  const result = comparison?.result
  const count = result?.ok ? result.added.length + result.changed.length + result.removed.length : 0
  const request: ApiRequest<'zones_importZonefile'> = {
    operation: 'zones_importZonefile',
    params: { id_or_name: zone.name },
    body: { zonefile: comparison?.zonefile ?? text },
  }
  // A whole file takes a while to quote for every client.
  const written = useDeferredValue(request.body.zonefile)
  const form = useSubmission(async () => {
    const { operation, ...input } = request
    await api.call(operation, input)
    await outdate('zones')
    toast({ mood: 'ok', title: w.imported(count, zone.name) })
    await go(link)
  })
  useUnsaved(text.trim() !== '' && !form.isBusy)
  const reason = mayImport ?? (shielded.length > 0 ? w.unprotectFirst : result ? reasonOf(result, count) : w.needsFile)
  return (
    <form onSubmit={sent(() => reason === undefined && form.send())} noValidate className="stack-l">
      <Seg
        label={w.how}
        value={how}
        options={[
          { value: 'merge', label: w.merge },
          { value: 'replace', label: w.replace },
        ]}
        onChange={setHow}
      />
      <Halves>
        <SourceCard
          text={text}
          name={file}
          refused={result?.ok === false ? result : undefined}
          onText={(next, name = '') => {
            setText(next)
            setFile(name)
          }}
        />
        <section className="stack-l">
          <Card title={w.whatChanges} aside={result?.ok && <DiffSummary preview={result} />}>
            {result?.ok ? (
              <DiffList zone={zone} preview={result} />
            ) : (
              <p className={`dim ${styles.padded}`}>{w.nothingYet[how]}</p>
            )}
          </Card>
          {comparison && comparison.replaced.length > 0 && (
            <Note>
              {w.replacedApex} <span className="mono">{comparison.replaced.join(', ')}</span>
            </Note>
          )}
          {comparison && comparison.pinned.length > 0 && (
            <Note>
              {w.pinned(ttlText(zone.ttl))} <span className="mono">{namesOf(comparison.pinned)}</span>
            </Note>
          )}
          {shielded.length > 0 && <Note mood="warn">{w.protectedSets(namesOf(shielded))}</Note>}
          {form.cause !== undefined && <FailureNote cause={form.cause} />}
          <div className="row wrap">
            <Button type="submit" look="primary" isBusy={form.isBusy} reason={reason}>
              {how === 'merge' ? w.mergeAct(count) : w.replaceAct(count)}
            </Button>
            <ButtonLink {...link} look="quiet">
              {c.cancel}
            </ButtonLink>
          </div>
          {text.trim() !== '' && (
            <Commands request={{ ...request, body: { zonefile: written } }} footer={w.allOrNothing} />
          )}
        </section>
      </Halves>
    </form>
  )
}

const namesOf = (keys: readonly string[]) => list(keys, c.andMore)

function reasonOf(result: Comparison['result'], count: number): string | undefined {
  if (!result.ok) return result.line === undefined ? w.correctFirst : w.correctLine(result.line)
  return count === 0 ? w.sameAlready : undefined
}
