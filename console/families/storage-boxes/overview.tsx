/** Shows what a Storage Box is: how full it is, where it is, how it is reached, and what it costs. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { money } from '../../lib/money.ts'
import { useReason } from '../../shell/may.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { cx } from '../../ui/cx.ts'
import { Note } from '../../ui/note.tsx'
import { Halves } from '../../ui/page.tsx'
import { None } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { common as c } from '../../words/common.ts'
import { percent } from '../../words/format.ts'
import { prices as p } from '../../words/prices.ts'
import { resources as r } from '../../words/resources.ts'
import { ratesIn } from '../pricing/lines.ts'
import type { BoxActs } from './acts.tsx'
import type { Box } from './box.ts'
import styles from './boxes.module.css'
import { boxFlags, flagsText } from './flags.tsx'
import { HistoryCard } from './history.tsx'
import { limitsOf } from './new-steps.tsx'
import { planText } from './plan.ts'
import { almostFull, sizeText, usageOf } from './usage.ts'
import { boxes as w } from './words.ts'

interface OverviewProps {
  readonly box: Box
  readonly acts: BoxActs
}

export function OverviewTab({ box, acts }: OverviewProps) {
  return (
    <>
      <UsageCard box={box} />
      <Halves>
        <ReachCard box={box} acts={acts} />
        <AboutCard box={box} acts={acts} />
      </Halves>
      <HistoryCard id={box.id} />
    </>
  )
}

/** Files and snapshots share the room: one bar for both, and the same in words. */
function UsageCard({ box }: { readonly box: Box }) {
  const { stats, storage_box_type: type } = box
  const { used, files, snapshots } = usageOf(box)
  const words = [
    w.usedOf(sizeText(stats.size), sizeText(type.size)),
    w.usedBy(sizeText(stats.size_data), sizeText(stats.size_snapshots)),
  ]
  return (
    <Card title={w.usage} padded footer={w.measured}>
      <svg
        className={styles.usage}
        viewBox="0 0 100 4"
        preserveAspectRatio="none"
        role="img"
        aria-label={words.join(', ')}
      >
        <rect className={styles.room} width="100" height="4" />
        <rect className={styles.files} width={files} height="4" />
        <rect className={styles.snapshots} x={files} width={Math.min(snapshots, 100 - files)} height="4" />
      </svg>
      <dl className={cx('row wrap', styles.legend)}>
        <Part kind="files" label={w.files} bytes={stats.size_data} />
        <Part kind="snapshots" label={w.snapshots} bytes={stats.size_snapshots} />
        <Part kind="room" label={w.free} bytes={Math.max(0, type.size - stats.size)} />
      </dl>
      <p className="dim">{words[0]}</p>
      {used >= almostFull && <Note mood="warn">{w.almostFull(percent(Math.floor(used)))}</Note>}
    </Card>
  )
}

interface PartProps {
  readonly kind: 'files' | 'snapshots' | 'room'
  readonly label: string
  readonly bytes: number
}

function Part({ kind, label, bytes }: PartProps) {
  return (
    <div className="row">
      <dt className="row">
        <svg className={styles.key} viewBox="0 0 8 8" aria-hidden="true">
          <rect className={styles[kind]} width="8" height="8" />
        </svg>
        {label}
      </dt>
      <dd className="num">{sizeText(bytes)}</dd>
    </div>
  )
}

function ReachCard({ box, acts }: OverviewProps) {
  const { id, username, server, system, access_settings: access } = box
  const mayPassword = useReason('storage_boxes_resetPassword')
  const notYet = box.status === 'initializing' ? w.notYet : undefined
  const text = (value: string | null) => (value === null ? <None /> : <Copyable text={value} />)
  return (
    <Card
      title={w.access}
      padded
      end={
        <ButtonLink small {...linkTo('storage_boxes', 'one', { id, tab: 'access' })}>
          {w.howToReach}
        </ButtonLink>
      }
    >
      <Facts
        rows={[
          [w.user, text(username)],
          [w.host, text(server)],
          [w.system, system ?? <None key="system" />],
          [w.access, flagsText(boxFlags, access) || w.isOff],
          [
            w.password,
            <Button key="password" small reason={mayPassword ?? notYet} onClick={() => acts.ask('password', box)}>
              {w.resetPassword}
            </Button>,
          ],
        ]}
      />
    </Card>
  )
}

function AboutCard({ box, acts }: OverviewProps) {
  const { storage_box_type: type, location, snapshot_plan: plan, created } = box
  const { currency } = useSuspenseQuery(useApi().query('pricing_get', {})).data.pricing
  const mayType = useReason('storage_boxes_changeType')
  const notYet = box.status === 'initializing' ? w.notYet : undefined
  const cost = ratesIn(type.prices, location.name)
  return (
    <Card title={w.about} padded>
      <Facts
        rows={[
          [
            r.type,
            <span key="type" className="row wrap">
              {type.name} · {sizeText(type.size)}
              <Button small reason={mayType ?? notYet} aria-label={w.changeType} onClick={() => acts.ask('type', box)}>
                {c.change}
              </Button>
            </span>,
          ],
          [w.limits, limitsOf(type)],
          [r.location, `${location.name} · ${location.city}`],
          [p.monthOf, cost ? money(cost.monthly, currency) : <None key="none" />],
          [w.plan, plan ? planText(plan) : w.noPlan],
          [r.created, <Ago key="created" time={created} />],
        ]}
      />
    </Card>
  )
}
