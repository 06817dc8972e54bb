/** The picture of who can reach what: sources on the left, the target on the right, the ports on the lines between. */
import { useId } from 'react'
import { moodOf, type Server } from '../../families/servers/server.ts'
import type { IconName } from '../../ui/icon.tsx'
import styles from '../../ui/picture.module.css'
import stateStyles from '../../ui/state.module.css'
import type { Mood } from '../../ui/state.tsx'
import { reach as w } from '../../words/reach.ts'
import { portText, type SourceGroup, type SourceKind } from './sources.ts'

export interface ReachTarget {
  readonly title: string
  /** Beside the title, as in `4 servers`. */
  readonly aside?: string | undefined
  readonly icon: IconName
  readonly servers: readonly Server[]
}

interface PictureProps {
  readonly groups: readonly SourceGroup[]
  readonly target: ReachTarget
  /** True while there is a firewall at all. Without one everything passes. */
  readonly isFiltered: boolean
  /** The content of the picture, in sentences. */
  readonly summary: string
}

const left = { x: 16, width: 180, height: 48 }
const pill = { x: 222, height: 20, step: 26, room: 17 }
const right = { x: 484, width: 220 }
const most = { servers: 5, groups: 8 }
const icons: Readonly<Record<SourceKind, IconName>> = {
  internet: 'internet',
  network: 'network',
  server: 'server',
  addresses: 'ip',
}

interface PillRow {
  readonly text: string
  readonly isNew: boolean
  readonly hint: string
  readonly y: number
}

interface Block {
  readonly key: string
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly y: number
  readonly pills: readonly PillRow[]
}

export function ReachPicture({ groups, target, isFiltered, summary }: PictureProps) {
  const id = useId()
  const blocks = layOut(isFiltered ? groups : [], isFiltered)
  const last = blocks.at(-1)
  const bottom = last ? last.y + Math.max(left.height, last.pills.length * pill.step) : 40
  const isLong = groups.length > most.groups
  const elseY = bottom + (isLong ? 42 : 22)
  const shown = target.servers.slice(0, most.servers)
  const rest = target.servers.length - shown.length
  const lines = blocks.flatMap(({ pills }) => pills)
  const boxHeight = Math.max(44 + shown.length * 27 + (rest > 0 ? 22 : 0), lines.length * 16 + 24, 56)
  const height = Math.max(elseY + 28, boxHeight + 60)
  const boxY = Math.max(32, Math.min((bottom + 36 - boxHeight) / 2, height - boxHeight - 12))
  const gap = Math.min(24, (boxHeight - 24) / Math.max(1, lines.length))
  const firstY = boxY + boxHeight / 2 - (gap * (lines.length - 1)) / 2
  return (
    <svg className={styles.pic} viewBox={`0 0 720 ${height}`} role="img" aria-labelledby={id}>
      <title id={id}>{summary}</title>
      <text className={styles.t3} x={left.x} y={16}>
        {w.from}
      </text>
      <text className={styles.t3} x={right.x} y={16}>
        {w.to}
      </text>
      {lines.map((line, index) => (
        <Edge key={`${line.y}`} line={line} to={firstY + index * gap} />
      ))}
      {blocks.map((block) => (
        <SourceNode key={block.key} block={block} />
      ))}
      {isLong && (
        <text className={styles.t2} x={54} y={bottom + 18}>
          {w.moreSources(groups.length - most.groups)}
        </text>
      )}
      {isFiltered && <AllElse y={elseY} />}
      <TargetNode target={target} shown={shown} rest={rest} y={boxY} height={boxHeight} />
    </svg>
  )
}

/** The blocks of sources below each other, each as high as its pills need. */
function layOut(groups: readonly SourceGroup[], isFiltered: boolean): readonly Block[] {
  let y = 43
  const place = (block: Omit<Block, 'y' | 'pills'>, pills: readonly Omit<PillRow, 'y'>[]): Block => {
    const height = Math.max(left.height, pills.length * pill.step)
    const first = y + height / 2 - ((pills.length - 1) * pill.step) / 2
    const placed = {
      ...block,
      y: y + (height - left.height) / 2,
      pills: pills.map((one, index) => ({ ...one, y: first + index * pill.step })),
    }
    y += height + 16
    return placed
  }
  if (!isFiltered) {
    const everything = { text: w.everything, isNew: false, hint: w.noFirewall }
    return [place({ key: 'all', icon: 'internet', title: w.internet, text: '0.0.0.0/0, ::/0' }, [everything])]
  }
  return groups.slice(0, most.groups).map((group) => {
    const [title, text] = titleOf(group)
    return place({ key: group.key, icon: icons[group.kind], title, text }, pillsOf(group))
  })
}

/** Returns the name of a source, and the line below it. */
export function titleOf({ kind, name, networks }: SourceGroup): readonly [title: string, text: string] {
  const [first = '', second] = networks
  const both = second === undefined ? first : networks.length === 2 ? `${first}, ${second}` : `${first} …`
  const text = both.length > 26 ? w.networkCount(networks.length) : both
  if (kind === 'internet') return [w.internet, text]
  if (name !== undefined) return [name, text]
  return [networks.length === 1 ? first : w.networkCount(networks.length), networks.length === 1 ? w.outside : both]
}

/** The ports of a source in lines short enough for a pill; those that are not applied yet by themselves. */
function pillsOf({ rules }: SourceGroup): readonly Omit<PillRow, 'y'>[] {
  return [false, true].flatMap((isNew) => {
    const lines: { texts: string[]; hints: string[] }[] = []
    for (const rule of rules.filter((one) => one.isNew === isNew)) {
      const text = portText(rule) || '?'
      const hint = w.byRule(String(rule.place), rule.firewall.name)
      const line = lines.at(-1)
      if (line?.texts.includes(text)) line.hints.push(`${text}: ${hint}`)
      else if (line && [...line.texts, text].join('  ').length <= pill.room) {
        line.texts.push(text)
        line.hints.push(`${text}: ${hint}`)
      } else lines.push({ texts: [text], hints: [`${text}: ${hint}`] })
    }
    return lines.map(({ texts, hints }) => ({ text: texts.join('  '), isNew, hint: hints.join('\n') }))
  })
}

function widthOf(text: string): number {
  return Math.max(48, text.length * 7 + 22)
}

function Edge({ line: { text, isNew, hint, y }, to }: { readonly line: PillRow; readonly to: number }) {
  const end = pill.x + widthOf(text)
  const kind = isNew ? styles.new : ''
  const bend = (end + right.x) / 2
  return (
    <g>
      <path className={`${styles.edge} ${kind}`} d={`M${left.x + left.width} ${y}H${pill.x}`} />
      <path className={`${styles.edge} ${kind}`} d={`M${end} ${y}C${bend} ${y} ${bend} ${to} ${right.x} ${to}`} />
      <path className={`${styles['tip-in']} ${kind}`} d={`M${right.x - 6} ${to - 4}l6 4-6 4z`} />
      <rect
        className={`${styles.pill} ${kind}`}
        x={pill.x}
        y={y - 10}
        width={widthOf(text)}
        height={pill.height}
        rx={10}
      >
        <title>{hint}</title>
      </rect>
      <text className={styles.m} x={(pill.x + end) / 2} y={y + 4} textAnchor="middle" pointerEvents="none">
        {text}
      </text>
      {isNew && (
        <text className={styles['t-new']} x={end + 8} y={y + 4}>
          {w.isNew}
        </text>
      )}
    </g>
  )
}

function SourceNode({ block: { icon, title, text, y } }: { readonly block: Block }) {
  return (
    <g>
      <rect className={styles.node} x={left.x} y={y} width={left.width} height={left.height} rx={6} />
      <Sprite name={`i-${icon}`} x={left.x + 12} y={y + 16} className="icon" />
      <text className={styles.b} x={54} y={y + 22}>
        {short(title, 20)}
      </text>
      <text className={styles.t3} x={54} y={y + 37}>
        {short(text, 24)}
      </text>
    </g>
  )
}

function AllElse({ y }: { readonly y: number }) {
  const width = widthOf(w.allElse)
  return (
    <g>
      <text className={styles.t2} x={54} y={y + 4}>
        {w.everythingElse}
      </text>
      <path className={`${styles.edge} ${styles.no}`} d={`M196 ${y}H${pill.x}M${pill.x + width} ${y}H380`} />
      <path className={styles.now} d={`M380 ${y - 8}v16`} />
      <rect
        className={`${styles.pill} ${styles.no}`}
        x={pill.x}
        y={y - 10}
        width={width}
        height={pill.height}
        rx={10}
      />
      <text className={styles.m} x={pill.x + width / 2} y={y + 4} textAnchor="middle">
        {w.allElse}
      </text>
      <text className={styles.t3} x={390} y={y + 4}>
        {w.dropped}
      </text>
    </g>
  )
}

interface TargetProps {
  readonly target: ReachTarget
  readonly shown: readonly Server[]
  readonly rest: number
  readonly y: number
  readonly height: number
}

const marks: Readonly<Record<Mood, string>> = { ok: 'c8', off: 'c0', busy: 'c3', warn: 'cw', bad: 'cx', unknown: 'cu' }

function TargetNode({ target: { title, aside, icon }, shown, rest, y, height }: TargetProps) {
  const name = short(title, 18)
  return (
    <g>
      <rect className={styles.node} x={right.x} y={y} width={right.width} height={height} rx={6} />
      <Sprite name={`i-${icon}`} x={right.x + 12} y={y + 12} className="icon" />
      <text className={styles.b} x={right.x + 38} y={y + 25}>
        {name}
      </text>
      {aside && (
        <text className={styles.t3} x={right.x + right.width - 16} y={y + 25} textAnchor="end">
          {aside}
        </text>
      )}
      {shown.map((server, index) => (
        <g key={server.id}>
          <Sprite
            name={marks[moodOf(server)]}
            x={right.x + 38}
            y={y + 38 + index * 27}
            className={`sign ${stateStyles[moodOf(server)]}`}
          />
          <text x={right.x + 62} y={y + 49 + index * 27}>
            {short(server.name, 12)}
          </text>
          <text
            className={`${styles.t3} ${styles.m}`}
            x={right.x + right.width - 16}
            y={y + 49 + index * 27}
            textAnchor="end"
          >
            {server.public_net.ipv4?.ip ?? ''}
          </text>
        </g>
      ))}
      {rest > 0 && (
        <text className={styles.t2} x={right.x + 62} y={y + 49 + shown.length * 27}>
          {w.moreServers(rest)}
        </text>
      )}
    </g>
  )
}

interface SpriteProps {
  readonly name: string
  readonly x: number
  readonly y: number
  readonly className: string
}

function Sprite({ name, x, y, className }: SpriteProps) {
  return (
    <svg className={className} x={x} y={y} width={16} height={16} aria-hidden="true">
      <use href={`#${name}`} />
    </svg>
  )
}

function short(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
