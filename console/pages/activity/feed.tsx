/** A list that is read from the newest entry back: its filters, its table, and how to read more. */
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ListFrame } from '../../ui/table.tsx'
import { activity as w } from '../../words/activity.ts'
import { common as c } from '../../words/common.ts'

interface FeedProps {
  readonly pages: { readonly isLoading: boolean; readonly hasMore: boolean; readonly isBusy: boolean; more(): void }
  /** The number of entries before a filter of the page itself. */
  readonly read: number
  /** The number shown. */
  readonly count: number
  readonly isFiltered: boolean
  readonly onClear: () => void
  readonly empty: ReactNode
  readonly filters: ReactNode
  readonly children: ReactNode
}

export function Feed({ pages, read, count, isFiltered, onClear, empty, filters, children }: FeedProps) {
  if (pages.isLoading) return <Skeleton />
  if (read === 0 && !isFiltered) return empty
  return (
    <ListFrame>
      {filters}
      {count === 0 ? (
        <p className="row dim">
          {c.table.nothingFits}
          <Button small onClick={onClear}>
            {c.table.clearFilter}
          </Button>
        </p>
      ) : (
        children
      )}
      {pages.hasMore && (
        <div>
          <Button isBusy={pages.isBusy} onClick={pages.more}>
            {w.more}
          </Button>
        </div>
      )}
    </ListFrame>
  )
}
