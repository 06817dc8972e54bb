/** Pages of a table. */
import { common } from '../words/common.ts'
import { number } from '../words/format.ts'
import { Icon } from './icon.tsx'
import seg from './seg.module.css'
import styles from './table.module.css'

const w = common.table

interface PagerProps {
  readonly page: number
  readonly perPage: number
  readonly total: number
  readonly onPage: (page: number) => void
  /** Shows everything on one page; absent where that is so already. */
  readonly onEvery?: (() => void) | undefined
}

export function Pager({ page, perPage, total, onPage, onEvery }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / perPage))
  const [from, to] = [Math.min(total, (page - 1) * perPage + 1), Math.min(total, page * perPage)]
  return (
    <nav className={styles.pager} aria-label={w.pages}>
      <span>{w.range(number(from), number(to), number(total))}</span>
      <span className="end row">
        {onEvery && last > 1 && (
          <button type="button" className={styles.every} onClick={onEvery}>
            {w.every}
          </button>
        )}
        <span className="not-narrow">{w.perPage(perPage)}</span>
        <span className={seg.seg}>
          <button type="button" aria-label={w.previous} disabled={page <= 1} onClick={() => onPage(page - 1)}>
            <Icon name="back" />
          </button>
          {near(page, last).map((one) => (
            <button
              key={one}
              type="button"
              aria-label={w.page(one)}
              aria-pressed={one === page}
              onClick={() => onPage(one)}
            >
              {one}
            </button>
          ))}
          <button type="button" aria-label={w.next} disabled={page >= last} onClick={() => onPage(page + 1)}>
            <Icon name="arrow" />
          </button>
        </span>
      </span>
    </nav>
  )
}

/** The first and the last page and those around the current one. */
function near(page: number, last: number): number[] {
  const wanted = [1, page - 1, page, page + 1, last]
  return [...new Set(wanted)].filter((one) => one >= 1 && one <= last).sort((a, b) => a - b)
}
