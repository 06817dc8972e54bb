/** Shows series over time as lines, and says in words what the latest and the highest value of each is. */
import { exactTime, timeOfDay } from '../words/format.ts'
import styles from './chart.module.css'
import { cx } from './cx.ts'

export interface ChartLine {
  readonly name: string
  /** Seconds since the epoch, in order, each with a value. */
  readonly points: readonly (readonly [at: number, value: number])[]
}

interface ChartProps {
  readonly title: string
  readonly lines: readonly ChartLine[]
  /** What is said where there are no points. */
  readonly empty: string
  /** Says what a line shows. */
  readonly sentence: (name: string, latest: number, highest: number) => string
}

const daySeconds = 86_400

export function Chart({ title, lines, empty, sentence }: ChartProps) {
  const all = lines.flatMap(({ points }) => points)
  if (all.length === 0) return <p className="dim">{empty}</p>
  const times = all.map(([at]) => at)
  const [start, end] = [Math.min(...times), Math.max(...times)]
  const most = Math.max(...all.map(([, value]) => value), 1)
  const path = ({ points }: ChartLine) =>
    points
      .map(([at, value], index) => {
        const x = end === start ? 0 : ((at - start) / (end - start)) * 100
        return `${index === 0 ? 'M' : 'L'}${x.toFixed(2)} ${(98 - (value / most) * 94).toFixed(2)}`
      })
      .join('')
  const said = lines.map(({ name, points }) => {
    const values = points.map(([, value]) => value)
    return sentence(name, values.at(-1) ?? 0, Math.max(...values, 0))
  })
  const timeText = (at: number) => (end - start > daySeconds ? exactTime(at * 1000) : timeOfDay(at * 1000))
  return (
    <>
      <svg
        className={styles.chart}
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}. ${said.join(' ')}`}
      >
        <path className={styles.ground} d="M0 98H100" />
        {lines.map((line, index) => (
          <path key={line.name} className={cx(styles.line, index > 0 && styles.second)} d={path(line)} />
        ))}
      </svg>
      <p className="row faint">
        <span>{timeText(start)}</span>
        <span className="end">{timeText(end)}</span>
      </p>
      {said.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </>
  )
}
