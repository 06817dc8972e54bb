/** The card that shows who can reach a target: as a picture, as a table and as text. */
import { type ReactNode, useMemo, useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { cx } from '../../ui/cx.ts'
import { Seg } from '../../ui/seg.tsx'
import { Sign } from '../../ui/state.tsx'
import { type Column, ListFrame, Table } from '../../ui/table.tsx'
import { Tag, Tags } from '../../ui/tag.tsx'
import { reach as w } from '../../words/reach.ts'
import type { FirewallRules } from './decide.ts'
import { ReachPicture, type ReachTarget, titleOf } from './picture.tsx'
import styles from './reach.module.css'
import { sentencesOf } from './sentences.ts'
import { groupsOf, type Places, portText, type SourceGroup } from './sources.ts'

const views = ['picture', 'table', 'text'] as const
type View = (typeof views)[number]

interface ReachCardProps {
  readonly title?: string
  readonly aside?: ReactNode
  readonly target: ReachTarget
  /** The firewalls of the target; none lets everything pass. */
  readonly firewalls: readonly FirewallRules[]
  readonly places: Places
  readonly footer?: ReactNode
}

export function ReachCard({ title, aside, target, firewalls, places, footer }: ReachCardProps) {
  const [view, setView] = useState<View>('picture')
  const rules = useMemo(() => firewalls.flatMap((one) => one.rules), [firewalls])
  const isFiltered = firewalls.length > 0
  const [inbound, outbound] = useMemo(
    () =>
      (['in', 'out'] as const).map((direction) =>
        groupsOf(
          rules.filter(({ content }) => content.direction === direction),
          places,
        ),
      ) as [readonly SourceGroup[], readonly SourceGroup[]],
    [rules, places],
  )
  const sentences = sentencesOf(inbound, target.title, isFiltered, outbound)
  return (
    <Card
      title={title ?? w.title}
      aside={aside}
      footer={footer}
      end={
        <Seg
          label={w.view}
          value={view}
          options={views.map((value) => ({ value, label: w.views[value] }))}
          onChange={setView}
        />
      }
    >
      {view === 'picture' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
        <section className="scroll" aria-label={w.picture} tabIndex={0}>
          <div className={styles.picture}>
            <ReachPicture groups={inbound} target={target} isFiltered={isFiltered} summary={sentences.join(' ')} />
          </div>
        </section>
      )}
      {view === 'table' && (
        <ReachTable inbound={inbound} outbound={outbound} target={target.title} isFiltered={isFiltered} />
      )}
      {view === 'text' && <ReachText sentences={sentences} />}
    </Card>
  )
}

function ReachText({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <div className={cx('row', styles.text)}>
      <ul className="stack">
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <span className="end">
        <CopyButton text={sentences.join('\n')} />
      </span>
    </div>
  )
}

interface Line {
  readonly id: number
  readonly group: SourceGroup | undefined
  readonly isOut: boolean
}

interface ReachTableProps {
  readonly inbound: readonly SourceGroup[]
  readonly outbound: readonly SourceGroup[]
  readonly target: string
  readonly isFiltered: boolean
}

function ReachTable({ inbound, outbound, target, isFiltered }: ReachTableProps) {
  const lines = [
    ...inbound.map((group) => ({ group, isOut: false })),
    { group: undefined, isOut: false },
    ...outbound.map((group) => ({ group, isOut: true })),
    { group: undefined, isOut: true },
  ].map((line, id) => ({ ...line, id }))
  const otherwise = (isOut: boolean) => (isFiltered && (!isOut || outbound.length > 0) ? w.dropped : w.passes)
  return (
    <ListFrame>
      <Table
        caption={w.caption(target)}
        isTight
        columns={columnsOf(otherwise)}
        rows={lines}
        idOf={({ id }) => id}
        nameOf={({ group }) => (group ? titleOf(group)[0] : w.everythingElse)}
      />
    </ListFrame>
  )
}

function columnsOf(otherwise: (isOut: boolean) => string): readonly Column<Line>[] {
  return [
    {
      key: 'source',
      label: w.otherSide,
      card: 'key',
      cell: ({ group, isOut }) => {
        const [title, text] = group ? titleOf(group) : [w.everythingElse, '']
        return (
          <>
            {isOut ? w.toward(title) : title}
            {text && <small>{text}</small>}
          </>
        )
      },
    },
    {
      key: 'ports',
      label: w.ports,
      card: 'sub',
      cell: ({ group, isOut }) =>
        group ? (
          <Tags>
            {group.rules.map((rule) => (
              <Tag key={`${rule.firewall.id} ${rule.place}`} tone={rule.isNew ? 'open' : undefined}>
                {portText(rule) || '?'}
                {rule.isNew && <i> {w.isNew}</i>}
              </Tag>
            ))}
          </Tags>
        ) : (
          otherwise(isOut)
        ),
    },
    {
      key: 'rules',
      label: w.rules,
      rank: 2,
      cell: ({ group, isOut }) =>
        group ? (
          [...new Set(group.rules.map(({ place, firewall }) => w.byRule(String(place), firewall.name)))].join(', ')
        ) : (
          <span className="row faint">
            <Sign mood="off" />
            {isOut ? w.outDefault : w.inDefault}
          </span>
        ),
    },
  ]
}
