/** The records of a zone, grouped by name: each set of one name and type is one row, edited in place. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/api.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { commandLine } from '../../commands/shell.ts'
import { Protected } from '../../pages/shared/cells.tsx'
import { ConfirmRequest } from '../../pages/shared/confirm-request.tsx'
import { ListRows, PrimaryButton } from '../../pages/shared/list-page.tsx'
import type { ResourceSearch } from '../../pages/shared/search.ts'
import { useReason } from '../../shell/may.ts'
import { copyAway } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { tellFailure } from '../../ui/failure.tsx'
import { SelectField } from '../../ui/field.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { Note } from '../../ui/note.tsx'
import type { Column } from '../../ui/table.tsx'
import { Tag } from '../../ui/tag.tsx'
import { closing } from '../../ui/unsaved.ts'
import { common as c } from '../../words/common.ts'
import { resources as r } from '../../words/resources.ts'
import { RrsetEditor } from './rrset-editor.tsx'
import { zones as w } from './words.ts'
import { delegationOf, type Rrset, ttlText, type Zone } from './zone.ts'
import { ZoneHead } from './zone-head.tsx'
import styles from './zones.module.css'

interface Row extends Omit<Rrset, 'id'> {
  /** Stays the same while other rows come and go, so that what is edited in a row is not lost. */
  readonly id: number
  readonly key: string
  /** Its place in the order of zone files. */
  readonly order: number
  /** True while the row above has the same name. */
  readonly isMore: boolean
}

const mostShown = 6

export function Records({ zone }: { readonly zone: Zone }) {
  const isCopy = zone.mode === 'secondary'
  const [edited, show] = useState<Rrset | 'new'>()
  const mayCreate = useReason('zones_createRrset')
  const done = () => show(undefined)
  const edit = (next: Rrset | 'new' | undefined) => closing(() => show(next))
  return (
    <>
      <ZoneHead
        zone={zone}
        tab="records"
        primary={
          <PrimaryButton
            label={w.newRecord}
            reason={isCopy ? w.isCopy : mayCreate}
            act={() => edit(edited === 'new' ? undefined : 'new')}
          />
        }
      />
      <Delegation zone={zone} />
      {edited === 'new' && (
        <div className={styles.editor}>
          <RrsetEditor zone={zone} onDone={done} />
        </div>
      )}
      {isCopy ? <Empty title={w.copyTitle} text={w.copyText} /> : <RecordList {...{ zone, edited, edit, done }} />}
    </>
  )
}

interface RecordListProps {
  readonly zone: Zone
  readonly edited: Rrset | 'new' | undefined
  readonly edit: (rrset: Rrset) => void
  readonly done: () => void
}

function RecordList({ zone, edited, edit, done }: RecordListProps) {
  const api = useApi()
  const { data: rrsets } = useSuspenseQuery(api.list('zones_listRrsets', { params: { id_or_name: zone.name } }))
  const search = useSearch({ strict: false }) as ResourceSearch
  const rows = useMemo(() => rowsOf(withEdited(rrsets, edited), search.group), [rrsets, edited, search.group])
  const acts = useRrsetActs(zone, (key) => {
    const rrset = rrsets.find(({ id }) => id === key)
    if (rrset) edit(rrset)
  })
  return (
    <>
      <ListRows
        title={w.recordsOf(zone.name)}
        rows={rows}
        columns={columns}
        defaultSort="order"
        textsOf={textsOf}
        nameOf={({ key }) => key}
        menu={acts.menu}
        toolsEnd={<TypeChoice rrsets={rrsets} />}
        why={(row) =>
          typeof edited === 'object' &&
          row.key === edited.id && (
            <div className={styles.editor}>
              <RrsetEditor zone={zone} rrset={edited} current={rrsets.find(({ id }) => id === row.key)} onDone={done} />
            </div>
          )
        }
      />
      {acts.dialogs}
    </>
  )
}

/** Keeps what is being edited, even where it was deleted elsewhere. */
function withEdited(rrsets: readonly Rrset[], edited: Rrset | 'new' | undefined): readonly Rrset[] {
  if (typeof edited !== 'object' || rrsets.some(({ id }) => id === edited.id)) return rrsets
  return [...rrsets, edited]
}

const numbers = new Map<string, number>()

function numberOf(key: string): number {
  const known = numbers.get(key) ?? numbers.size + 1
  numbers.set(key, known)
  return known
}

/** The zone itself first, its SOA and NS records before all others; then by name and type. */
function rowsOf(rrsets: readonly Rrset[], type: string | undefined): readonly Row[] {
  const rank = ({ name, type }: Rrset) => (name !== '@' ? 3 : type === 'SOA' ? 0 : type === 'NS' ? 1 : 2)
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  const kept = type ? rrsets.filter((one) => one.type === type) : [...rrsets]
  kept.sort((a, b) => rank(a) - rank(b) || order(a.name, b.name) || order(a.type, b.type))
  return kept.map((one, index) => ({
    ...one,
    key: one.id,
    id: numberOf(one.id),
    order: index,
    isMore: kept[index - 1]?.name === one.name,
  }))
}

const textsOf = ({ name, type, records }: Row) => [
  name,
  type,
  ...records.flatMap(({ value, comment }) => [value, comment]),
]

const columns: readonly Column<Row>[] = [
  {
    key: 'order',
    label: c.name,
    card: 'key',
    sort: ({ order }) => order,
    cell: ({ name, isMore, protection }) => (
      <span className="row">
        {isMore ? <span className="faint mono">{name}</span> : <b className="mono">{name}</b>}
        {protection.change && <Protected />}
      </span>
    ),
  },
  { key: 'type', label: w.type, card: 'stat', cell: ({ type }) => <Tag>{type}</Tag> },
  {
    key: 'ttl',
    label: 'TTL',
    rank: 2,
    isNarrow: true,
    cell: ({ ttl }) => (ttl === null ? <span className="faint">{w.asZone}</span> : ttlText(ttl)),
  },
  {
    key: 'values',
    label: w.values,
    card: 'sub',
    cell: ({ records }) => (
      <ul className={styles.values}>
        {records.slice(0, mostShown).map(({ value, comment }) => (
          <li key={value}>
            {value} {comment && <span className="faint">; {comment}</span>}
          </li>
        ))}
        {records.length > mostShown && <li className="faint">{c.andMore(records.length - mostShown)}</li>}
      </ul>
    ),
  },
]

function TypeChoice({ rrsets }: { readonly rrsets: readonly Rrset[] }) {
  const search = useSearch({ strict: false }) as ResourceSearch
  const navigate = useNavigate()
  const types = [...new Set(rrsets.map(({ type }) => type))].sort()
  return (
    <SelectField
      label={w.type}
      isLabelHidden
      value={search.group ?? ''}
      options={[{ value: '', label: w.allTypes }, ...types.map((type) => ({ value: type, label: type }))]}
      onChange={(type) =>
        void navigate({
          to: '.',
          search: ((old: ResourceSearch) => ({ ...old, page: undefined, group: type || undefined })) as never,
          replace: true,
        })
      }
    />
  )
}

/** Says what is wrong with the delegation, and what to do at the registrar. */
function Delegation({ zone }: { readonly zone: Zone }) {
  const { mood, text, advice } = delegationOf(zone)
  if (mood === 'ok' || mood === 'unknown') return null
  const { assigned, delegated } = zone.authoritative_nameservers
  return (
    <Note mood={mood === 'bad' ? 'bad' : 'warn'}>
      <b>{text}.</b> {advice} {w.shouldBe(assigned.join(', '))}{' '}
      {delegated.length > 0 && <span className="dim">{w.isDelegatedTo(delegated.join(', '))}</span>}
    </Note>
  )
}

// ---- Acts ------------------------------------------------------------------------------------------------------------

/** The command that asks our name server for a set of records. */
function digFor({ name: zone, authoritative_nameservers: { assigned } }: Zone, { name, type }: Row): string {
  const full = name === '@' ? zone : `${name}.${zone}`
  const server = assigned[0] ? [`@${assigned[0].replace(/\.$/, '')}`] : []
  // A name of its own accord may look like an option.
  return commandLine(['dig', ...server, '-q', full, '-t', type])
}

function useRrsetActs(zone: Zone, edit: (key: string) => void) {
  const api = useApi()
  const outdate = useOutdate()
  const [removed, remove] = useState<Row>()
  const mayChange = useReason('zones_setRecords')
  const mayProtect = useReason('zones_changeRrsetProtection')
  const mayRemove = useReason('zones_removeRrset')
  const paramsOf = ({ name, type }: Row) => ({ id_or_name: zone.name, rr_name: name, rr_type: type })
  const protect = (row: Row) =>
    api
      .call('zones_changeRrsetProtection', { params: paramsOf(row), body: { change: !row.protection.change } })
      .then(() => outdate('zones'))
      .catch((cause: unknown) => tellFailure(cause, r.notChanged(row.key)))
  const menu = (row: Row): readonly MenuEntry[] => {
    const reason = row.protection.change ? r.isProtected : undefined
    return [
      { key: 'edit', isEdit: true, label: c.edit, reason: mayChange ?? reason, onSelect: () => edit(row.key) },
      {
        key: 'dig',
        label: w.copyDig,
        icon: 'terminal',
        onSelect: () => copyAway(digFor(zone, row)),
      },
      {
        key: 'protect',
        label: row.protection.change ? r.unprotect : w.protectChange,
        icon: 'lock',
        reason: mayProtect,
        onSelect: () => void protect(row),
      },
      'line',
      {
        key: 'delete',
        label: c.delete,
        icon: 'trash',
        isBad: true,
        reason: mayRemove ?? reason ?? (row.name === '@' && row.type === 'SOA' ? w.soaStays : undefined),
        onSelect: () => remove(row),
      },
    ]
  }
  const dialogs = removed && (
    <ConfirmRequest
      title={r.deleteTitle(`${removed.name} ${removed.type}`)}
      text={w.deleteRecords(removed.records.length, ttlText(removed.ttl ?? zone.ttl))}
      act={w.deleteRecordsAct(removed.records.length)}
      request={{ operation: 'zones_removeRrset', params: paramsOf(removed) }}
      families={['zones']}
      onClose={() => remove(undefined)}
    />
  )
  return { menu, dialogs }
}
