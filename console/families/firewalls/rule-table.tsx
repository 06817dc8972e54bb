/** The grid of rules: direction tabs, counters, presets, and the rows. */
import { lazy, type ReactNode, Suspense, useEffect, useId, useMemo, useRef, useState } from 'react'
import { type Direction, maxEffectiveRules, maxRules } from '../../../src/families/firewalls/domain.ts'
import { Button } from '../../ui/button.tsx'
import { cx } from '../../ui/cx.ts'
import { Note } from '../../ui/note.tsx'
import { Said } from '../../ui/said.tsx'
import { Seg } from '../../ui/seg.tsx'
import table from '../../ui/table.module.css'
import { ListFrame, Tools } from '../../ui/table.tsx'
import { number } from '../../words/format.ts'
import type { Server } from '../servers/server.ts'
import { type Content, kept, ruleFor } from './draft.ts'
import { internet } from './rule.ts'
import { RuleRow } from './rule-row.tsx'
import styles from './rules.module.css'
import type { RulesEditor } from './use-rules.ts'
import { firewalls as w } from './words.ts'

const PasteDialog = lazy(async () => ({ default: (await import('./paste-dialog.tsx')).PasteDialog }))

/** Who may use SSH and a database is for people to say; the web and ping are for everybody. */
const presets: readonly (Omit<Content, 'direction'> & { readonly key: string })[] = [
  { key: 'SSH', protocol: 'tcp', port: '22', networks: [], description: 'SSH' },
  { key: 'HTTP', protocol: 'tcp', port: '80', networks: internet, description: 'HTTP' },
  { key: 'HTTPS', protocol: 'tcp', port: '443', networks: internet, description: 'HTTPS' },
  { key: 'Ping', protocol: 'icmp', port: '', networks: internet, description: 'Ping' },
  { key: 'PostgreSQL', protocol: 'tcp', port: '5432', networks: [], description: 'PostgreSQL' },
]

interface RuleTableProps {
  readonly editor: RulesEditor
  readonly servers: readonly Server[]
  /** The reason no rule can be changed. */
  readonly reason: string | undefined
  /** Further buttons beside the presets. */
  readonly more?: ReactNode
}

export function RuleTable({ editor, servers, reason, more }: RuleTableProps) {
  const [direction, setDirection] = useState<Direction>('in')
  const [isPasting, setPasting] = useState(false)
  const frame = useRef<HTMLDivElement>(null)
  const listId = useId()
  const { drafts, judgement, add } = editor
  const left = kept(drafts)
  const effective = left.reduce((sum, { networks }) => sum + networks.length, 0)
  const count = (one: Direction) => left.filter((draft) => draft.direction === one).length
  const [wanted, want] = useState<{ readonly key: number; readonly column: string }>()
  useEffect(() => {
    if (!wanted) return
    const row = frame.current?.querySelector(`[data-rule="${wanted.key}"]`)
    const cell = row?.querySelector<HTMLElement>(`[data-column=${wanted.column}]`) ?? row?.querySelector('select')
    cell?.focus()
    want(undefined)
  }, [wanted])
  const addPreset = (content: Omit<Content, 'direction'>) => {
    const same = ruleFor({ ...content, direction }, drafts)
    if (same) want({ key: same.key, column: 'networks' })
    else addOne(content)
  }
  const addOne = (content: Partial<Content>) => {
    const [draft] = add([{ ...content, direction }])
    const column = draft?.port === '' && content.protocol !== 'icmp' ? 'port' : 'networks'
    if (draft) want({ key: draft.key, column })
  }
  return (
    <div ref={frame}>
      <ListFrame>
        <Tools>
          <Seg
            label={w.direction}
            value={direction}
            options={(['in', 'out'] as const).map((value) => ({
              value,
              label: w.directions[value](number(count(value))),
            }))}
            onChange={setDirection}
          />
          <span className="faint">
            {w.counters(number(left.length), number(maxRules), number(effective), number(maxEffectiveRules))}
          </span>
          {reason === undefined && (
            <span className="row wrap">
              {presets.map(({ key, ...content }) => (
                <Button key={key} small aria-label={w.addPreset(key)} onClick={() => addPreset(content)}>
                  {key}
                </Button>
              ))}
              <Button small icon="plus" onClick={() => addOne({})}>
                {w.rule}
              </Button>
              <Button small look="quiet" onClick={() => setPasting(true)}>
                {w.paste}
              </Button>
              {more}
            </span>
          )}
        </Tools>
        <Grid {...{ editor, direction, reason, listId, want }} />
        {judgement.general.length > 0 && (
          <Note mood="bad" isNews>
            <Said texts={judgement.general} between="; " />
          </Note>
        )}
        {reason === undefined && <p className={cx(styles.hint, 'not-narrow')}>{w.keys}</p>}
      </ListFrame>
      <datalist id={listId}>
        <option value="internet">{w.internet}</option>
        {servers.slice(0, 200).map(({ id, name, public_net: { ipv4 } }) =>
          ipv4 ? (
            <option key={id} value={`${ipv4.ip}/32`}>
              {name}
            </option>
          ) : null,
        )}
      </datalist>
      {isPasting && (
        <Suspense>
          <PasteDialog
            direction={direction}
            onClose={() => setPasting(false)}
            onRules={(rules) => {
              const [first] = add(rules)
              if (first) {
                setDirection(first.direction)
                want({ key: first.key, column: 'port' })
              }
            }}
          />
        </Suspense>
      )}
    </div>
  )
}

interface GridProps {
  readonly editor: RulesEditor
  readonly direction: Direction
  readonly reason: string | undefined
  readonly listId: string
  readonly want: (cell: { readonly key: number; readonly column: string }) => void
}

function Grid({ editor, direction, reason, listId, want }: GridProps) {
  const { drafts, changes, judgement } = editor
  const rows = drafts.filter((draft) => draft.direction === direction)
  const byKey = useMemo(() => new Map(changes.map((change) => [change.draft?.key, change])), [changes])
  if (rows.length === 0) return <p className="dim">{w.noRules[direction]}</p>
  let place = 0
  return (
    <table className={cx(table.table, table.plain, table.tight, styles.rules)}>
      <caption className="vh">{w.rulesCaption[direction]}</caption>
      <thead>
        <tr>
          <th scope="col" className={table.pick}>
            <span className="vh">{w.change}</span>
          </th>
          <th scope="col">{w.protocol}</th>
          <th scope="col">{w.port}</th>
          <th scope="col">{direction === 'in' ? w.from : w.toward}</th>
          <th scope="col">{w.description}</th>
          <th scope="col">
            <span className="vh">{w.acts}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((draft) => {
          if (!draft.isRemoved) place += 1
          const { key } = draft
          return (
            <RuleRow
              key={key}
              draft={draft}
              place={place}
              change={byKey.get(key)}
              problems={judgement.byKey.get(key)}
              listId={listId}
              reason={reason}
              acts={{
                edit: (part) => editor.edit(key, part),
                duplicate: () => {
                  const copy = editor.duplicate(key)
                  if (copy) want({ key: copy.key, column: 'port' })
                },
                remove: () => editor.remove(key),
                restore: () => editor.restore(key),
                revert: () => editor.revert(key),
                move: (by) => editor.move(key, by),
              }}
            />
          )
        })}
      </tbody>
    </table>
  )
}
