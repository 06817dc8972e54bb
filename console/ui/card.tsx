/** A surface for a few unlike things, with a heading. */
import type { ReactNode } from 'react'
import styles from './card.module.css'
import { cx } from './cx.ts'

interface CardProps {
  readonly title?: ReactNode
  /** Beside the heading, in weaker ink. */
  readonly aside?: ReactNode
  /** Shown at the end of the heading. */
  readonly end?: ReactNode
  readonly footer?: ReactNode
  readonly padded?: boolean
  readonly label?: string
  readonly children: ReactNode
}

export function Card({ title, aside, end, footer, padded = false, label, children }: CardProps) {
  return (
    <section className={styles.card} aria-label={label}>
      {title && (
        <header>
          <h2>{title}</h2>
          {aside}
          {end && <span className="end row">{end}</span>}
        </header>
      )}
      {padded ? <div className={cx(styles.pad, 'stack')}>{children}</div> : children}
      {footer && <footer>{footer}</footer>}
    </section>
  )
}

/** Names and values, the values at the end of the line. */
export function Facts({ rows }: { readonly rows: readonly (readonly [name: ReactNode, value: ReactNode])[] }) {
  return (
    <dl className={styles.kv}>
      {rows.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of one reply, in their order
        <div key={index} className={styles.pair}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

export function List({ children }: { readonly children: ReactNode }) {
  return <ul className={styles.list}>{children}</ul>
}

/** One figure of a page. */
export function Price({
  amount,
  unit,
  aside,
}: {
  readonly amount: string
  readonly unit: string
  readonly aside?: ReactNode
}) {
  return (
    <div className={styles.price}>
      <b>{amount}</b>
      <span className="dim">{unit}</span>
      {aside && <span className="faint end">{aside}</span>}
    </div>
  )
}
