/** Shows what an import adds, changes and removes, each with its sign, never only a colour. */
import type { ReactNode } from 'react'
import diff from '../../ui/diff.module.css'
import { number } from '../../words/format.ts'
import type { Preview } from './import-preview.ts'
import { zones as w } from './words.ts'
import { ttlText, type Zone } from './zone.ts'
import styles from './zones.module.css'

type RrsetContent = Preview['added'][number]
type Changed = Preview['changed'][number]

const mostLines = 300

interface Line {
  readonly kind: 'add' | 'mod' | 'del'
  readonly name: string
  readonly type: string
  readonly content: ReactNode
  readonly aside?: string
}

export function DiffSummary({ preview: { added, changed, removed, unchanged } }: { readonly preview: Preview }) {
  return (
    <span className="row wrap end dim">
      <span className="nw">
        <b>+{number(added.length)}</b> {w.added}
      </span>
      <span className="nw">
        <b>~{number(changed.length)}</b> {w.changed}
      </span>
      <span className="nw">
        <b>−{number(removed.length)}</b> {w.removed}
      </span>
      <span className="nw">
        {number(unchanged)} {w.stay}
      </span>
    </span>
  )
}

export function DiffList({ zone, preview }: { readonly zone: Zone; readonly preview: Preview }) {
  const lines = linesOf(zone, preview)
  if (lines.length === 0) return <p className={`dim ${styles.padded}`}>{w.sameAlready}</p>
  return (
    <ul className={diff.diff}>
      {lines.slice(0, mostLines).map(({ kind, name, type, content, aside }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one comparison, in their order
        <li key={index} className={diff[kind]}>
          <span>
            <span className="vh">{w.kinds[kind]} </span>
            <b>{name}</b> {type} {content}
          </span>
          {aside && <span className="faint">{aside}</span>}
        </li>
      ))}
      {lines.length > mostLines && <li className="faint">{w.moreLines(lines.length - mostLines)}</li>}
    </ul>
  )
}

function linesOf(zone: Zone, { added, changed, removed, ttl }: Preview): readonly Line[] {
  const whole = (kind: 'add' | 'del', { name, type, records }: RrsetContent): Line[] =>
    records.map(({ value }) => ({
      kind,
      name,
      type,
      content: value,
      ...(kind === 'del' ? { aside: w.notInFile } : {}),
    }))
  const zoneTtl: Line[] =
    ttl.before === ttl.after
      ? []
      : [
          {
            kind: 'mod',
            name: zone.name,
            type: 'TTL',
            content: <FromTo from={ttlText(ttl.before)} to={ttlText(ttl.after)} />,
          },
        ]
  return [
    ...zoneTtl,
    ...added.flatMap((one) => whole('add', one)),
    ...changed.flatMap((one) => changeLines(one, ttl)),
    ...removed.flatMap((one) => whole('del', one)),
  ]
}

function changeLines({ before, after, added, removed, ...change }: Changed, ttl: Preview['ttl']): readonly Line[] {
  const { name, type } = after
  const line = (content: ReactNode): Line => ({ kind: 'mod', name, type, content })
  const pairs = Math.min(added.length, removed.length)
  return [
    ...removed.slice(0, pairs).map((old, index) => line(<FromTo from={old} to={added[index]!} />)),
    ...removed.slice(pairs).map((old) => ({ ...line(<del>{old}</del>), aside: w.notInFile })),
    ...added.slice(pairs).map((next) => line(<ins>{next}</ins>)),
    ...(change.hasOtherTtl
      ? [
          line(
            <>
              TTL <FromTo from={ttlText(before.ttl ?? ttl.before)} to={ttlText(after.ttl ?? ttl.after)} />
            </>,
          ),
        ]
      : []),
    ...(change.hasOtherComments ? [line(w.otherComments)] : []),
  ]
}

function FromTo({ from, to }: { readonly from: string; readonly to: string }) {
  return (
    <>
      <del>{from}</del> <span aria-hidden="true">→</span> <ins>{to}</ins>
    </>
  )
}
