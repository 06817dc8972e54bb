/** Labels and other short texts. */
import type { ReactNode } from 'react'
import { common as w } from '../words/common.ts'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import styles from './tag.module.css'

interface TagProps {
  readonly children: ReactNode
  readonly tone?: 'open' | undefined
  /** Removes it; `name` says what it removes. */
  readonly onRemove?: (() => void) | undefined
  readonly name?: string
  /** All of it: tables cut what is long. */
  readonly tip?: string | undefined
}

export function Tag({ children, tone, onRemove, name = '', tip }: TagProps) {
  return (
    <span className={cx(styles.tag, tone && styles[tone], onRemove && styles['can-go'])}>
      <span className={styles.text} title={tip}>
        {children}
      </span>
      {onRemove && (
        <button type="button" aria-label={w.remove(name)} onClick={onRemove}>
          <Icon name="x" />
        </button>
      )}
    </span>
  )
}

export function Tags({ children }: { readonly children: ReactNode }) {
  return <span className={styles.tags}>{children}</span>
}

/** The labels of a resource, in their order. */
export function Labels({ labels }: { readonly labels: Readonly<Record<string, string>> }) {
  const entries = Object.entries(labels)
  if (entries.length === 0) return <None />
  return (
    <Tags>
      {entries.map(([key, value]) => (
        <Tag key={key} tip={`${key}=${value}`}>
          <i>{key}=</i>
          {value}
        </Tag>
      ))}
    </Tags>
  )
}

/** Stands where there is nothing. */
export function None() {
  return (
    <span className="faint">
      <span aria-hidden="true">–</span>
      <span className="vh">{w.none}</span>
    </span>
  )
}
