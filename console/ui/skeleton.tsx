/**
 * The placeholder while a page loads: nothing for 300 ms, then lines in the shape of what comes. `data-coming` tells
 * tests that the page is not whole yet.
 */
import { useEffect, useState } from 'react'
import { common as w } from '../words/common.ts'
import { cx } from './cx.ts'
import styles from './skeleton.module.css'

const quietMs = 300

function useLate(ms = quietMs): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(setLate, ms, true)
    return () => clearTimeout(timer)
  }, [ms])
  return isLate
}

interface SkeletonProps {
  readonly lines?: number
  /** True if nothing of the page is there yet, not even its title. */
  readonly isPage?: boolean
}

export function Skeleton({ lines = 6, isPage = false }: SkeletonProps) {
  const isLate = useLate()
  const Text = isPage ? 'h1' : 'span'
  if (!isLate) return <div data-coming hidden />
  return (
    <div className="stack-l" role="status" data-coming>
      <Text className="vh">{w.loading}</Text>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are all alike
        <span key={line} className={cx(styles.skel, [styles.w2, false, styles.w3][line % 3])} />
      ))}
    </div>
  )
}

/** A page that loads. */
export function PendingPage() {
  return <Skeleton isPage />
}
