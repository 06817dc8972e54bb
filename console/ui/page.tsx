/** The frame of a page's content: its heading, its one primary action, and columns. */
import { type ReactNode, useEffect } from 'react'
import { cx } from './cx.ts'
import { pageStands } from './layers.ts'
import { Link, type Target } from './link.tsx'
import styles from './page.module.css'

interface PageHeadProps {
  readonly title: string
  /** Beside the title, as the number of entries of a list. */
  readonly count?: string | undefined
  /** The pages above it, nearest last. */
  readonly crumbs?: readonly { readonly label: string; readonly link: Target }[] | undefined
  /** Below the title: the state, ids, where it is. */
  readonly facts?: ReactNode
  /** Shown at the end: quiet buttons first, the primary one last. */
  readonly actions?: ReactNode
}

export function PageHead({ title, count, crumbs, facts, actions }: PageHeadProps) {
  useTitle(title)
  return (
    <div className={styles['page-head']}>
      <div>
        {crumbs && (
          <nav className={styles.crumbs} aria-label="Breadcrumbs">
            {crumbs.map(({ label, link }) => (
              <Link key={label} {...link}>
                {label}
              </Link>
            ))}
          </nav>
        )}
        <h1 tabIndex={-1}>
          <Breakable text={title} />
          {count !== undefined && <span className="num"> {count}</span>}
        </h1>
        {facts && <div className={styles.facts}>{facts}</div>}
      </div>
      {actions && <div className={styles.acts}>{actions}</div>}
    </div>
  )
}

/** The title of the window. Every page has one, so that the first one tells when a page has been drawn. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} - Wolke`
  }, [title])
  useEffect(pageStands, [])
}

/** A long name or path, which may be broken after its dots, slashes and low lines. */
export function Breakable({ text }: { readonly text: string }) {
  const parts = text.split(/(?<=[./_])/)
  return parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text, in their order
    <span key={index}>
      {part}
      {index < parts.length - 1 && <wbr />}
    </span>
  ))
}

export function FactLine({ children }: { readonly children: ReactNode }) {
  return <div className={styles.facts}>{children}</div>
}

/** A wide column and a narrow one, which stays in view. */
export function Columns({
  children,
  aside,
  label,
  isSticky = false,
}: {
  readonly children: ReactNode
  readonly aside: ReactNode
  readonly label?: string
  readonly isSticky?: boolean
}) {
  return (
    <div className={styles.cols}>
      <div className="stack-l">{children}</div>
      <aside className={cx('stack-l', isSticky && styles.sticky)} aria-label={label}>
        {aside}
      </aside>
    </div>
  )
}

export function Halves({ children }: { readonly children: ReactNode }) {
  return <div className={styles.halves}>{children}</div>
}
