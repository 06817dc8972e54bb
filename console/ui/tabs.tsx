/** Tabs that are pages of their own: each has an address. */
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { Link, type Target } from './link.tsx'
import styles from './tabs.module.css'

interface Tab {
  readonly key: string
  readonly label: ReactNode
  readonly count?: number | undefined
  readonly link: Target
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
  const row = useRef<HTMLElement>(null)
  // The row scrolls on narrow screens; the open tab is always in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: again for each tab that is opened
  useLayoutEffect(() => {
    const show = () => {
      const open = row.current?.querySelector<HTMLElement>('[aria-current]')
      if (row.current && open)
        row.current.scrollLeft = open.offsetLeft + open.offsetWidth / 2 - row.current.clientWidth / 2
    }
    show()
    addEventListener('resize', show)
    return () => removeEventListener('resize', show)
  }, [current])
  return (
    <nav ref={row} className={styles.tabs} aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.key} {...tab.link} aria-current={tab.key === current ? 'page' : undefined}>
          {tab.label}
          {tab.count !== undefined && <span className="num">{tab.count}</span>}
        </Link>
      ))}
    </nav>
  )
}
