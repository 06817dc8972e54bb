/** The lifetimes of certificates on one axis: bars from issued to expiry, today's line, and where renewal is tried. */

import { FactLine } from '../../ui/page.tsx'
import styles from '../../ui/picture.module.css'
import { date } from '../../words/format.ts'
import { type Certificate, dayMs, outlookOf } from './certificate.ts'
import { type Lifetime, lifetimeOf } from './lifetime.ts'
import { certificates as w } from './words.ts'

/** The span that the axis shows, in ms since the epoch. */
interface Axis {
  readonly from: number
  readonly until: number
  readonly now: number
}

const shortest = 90 * dayMs
const longest = 400 * dayMs
/** More months than this are not all named. */
const mostNames = 8

/** An axis with today a little left of its middle, long enough for most of what ends. */
export function axisFor(lives: readonly (Lifetime | undefined)[], now = Date.now()): Axis {
  const ends = lives.flatMap((life) => (life ? [life.until - now] : []))
  const future = Math.min(longest, Math.max(shortest, ...ends)) * 1.05
  return { from: now - future * 0.8, until: now + future, now }
}

function at(axis: Axis, time: number): string {
  const share = (time - axis.from) / (axis.until - axis.from)
  return `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%`
}

function monthsOf({ from, until }: Axis): readonly Date[] {
  const start = new Date(from)
  const all: Date[] = []
  for (let month = start.getMonth() + 1; ; month++) {
    const first = new Date(start.getFullYear(), month, 1)
    if (first.getTime() >= until) break
    all.push(first)
  }
  const step = Math.ceil(all.length / mostNames)
  return all.filter((_, index) => index % step === 0)
}

/** Tells whether the name of a month would overlap that of today. */
function isNearToday({ from, until, now }: Axis, first: Date): boolean {
  const share = (first.getTime() - now) / (until - from)
  return share > -0.12 && share < 0.06
}

export function AxisHead({ axis }: { readonly axis: Axis }) {
  return (
    <>
      <span className="vh">{w.lifetime}</span>
      <svg className={`${styles.pic} ${styles.axis}`} aria-hidden="true">
        {monthsOf(axis)
          .filter((first) => !isNearToday(axis, first))
          .map((first) => (
            <text key={first.getTime()} className={styles.t3} x={at(axis, first.getTime())} dx={4} y={16}>
              {date(first.getTime(), { month: 'short' })}
            </text>
          ))}
        <rect
          className={styles['today-box']}
          x={at(axis, axis.now)}
          y={2}
          width={42}
          height={18}
          rx={4}
          transform="translate(-21 0)"
        />
        <text className={styles['today-t']} x={at(axis, axis.now)} y={15} textAnchor="middle">
          {w.today}
        </text>
      </svg>
    </>
  )
}

const fills = { ok: 'f-ok', warn: 'f-warn', bad: 'f-bad', busy: 'f-busy', off: 'f-off', unknown: 'f-off' } as const

export function Span({ certificate, axis }: { readonly certificate: Certificate; readonly axis: Axis }) {
  const life = lifetimeOf(certificate)
  const { mood, text, next } = outlookOf(certificate, axis.now)
  const label = `${certificate.name}: ${[text, next].filter(Boolean).join(', ')}`
  return (
    <svg className={`${styles.pic} ${styles.span}`} role="img" aria-label={label}>
      {monthsOf(axis).map((first) => {
        const x = at(axis, first.getTime())
        return <line key={first.getTime()} className={styles.grid} x1={x} x2={x} y1={-4} y2={40} />
      })}
      {life && <Bars life={life} axis={axis} fill={styles[fills[mood]]} />}
      <line className={styles.now} x1={at(axis, axis.now)} x2={at(axis, axis.now)} y1={-4.5} y2={40.5} />
    </svg>
  )
}

function Bars({
  life,
  axis,
  fill,
}: {
  readonly life: Lifetime
  readonly axis: Axis
  readonly fill: string | undefined
}) {
  const bar = (from: number, until: number, className: string | undefined) => {
    const [start, end] = [at(axis, from), at(axis, until)].map(Number.parseFloat) as [number, number]
    if (end <= start) return null
    return (
      <rect x={`${start}%`} width={`${(end - start).toFixed(2)}%`} y={14} height={8} rx={2} className={className} />
    )
  }
  const renewal = life.renewAt === undefined || life.renewAt >= axis.until ? undefined : at(axis, life.renewAt)
  return (
    <>
      {bar(life.from, Math.min(life.until, axis.now), styles.past)}
      {bar(Math.max(life.from, axis.now), life.until, fill)}
      {renewal && <line x1={renewal} x2={renewal} y1={8} y2={28} className={styles.renew} />}
    </>
  )
}

/** Explains the marks of the picture. */
export function Legend() {
  const key = `${styles.pic} ${styles.key}`
  const bar = { y: 5, width: 16, height: 8, rx: 2 }
  const line = { x1: 8, x2: 8, y1: 0, y2: 18 }
  const marks = [
    [w.legend.gone, <rect key="gone" {...bar} className={styles.past} />],
    [w.legend.left, <rect key="left" {...bar} className={styles['f-ok']} />],
    [w.legend.renewal, <line key="renewal" {...line} className={styles.renew} />],
    [w.today, <line key="today" {...line} className={styles.now} />],
  ] as const
  return (
    <FactLine>
      {marks.map(([word, mark]) => (
        <span key={word} className="faint">
          <svg className={key} aria-hidden="true">
            {mark}
          </svg>
          {word}
        </span>
      ))}
    </FactLine>
  )
}
