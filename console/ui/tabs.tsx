/** Tabs that are pages of their own: each has an address. */
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import styles from './tabs.module.css'

interface Tab {
  readonly key: string
  readonly label: ReactNode
  readonly count?: number | undefined
  readonly link: LinkProps
}

export function Tabs({
  label,
  tabs,
  current,
}: {
  readonly label: string
  readonly tabs: readonly Tab[]
  readonly current: string
}) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.key}
          {...tab.link}
          aria-current={tab.key === current ? 'page' : undefined}
          activeProps={{}}
          activeOptions={{ exact: true }}
        >
          {tab.label}
          {tab.count !== undefined && <span className="num">{tab.count}</span>}
        </Link>
      ))}
    </nav>
  )
}
