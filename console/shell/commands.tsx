/** The commands that do the same as a form or an act: one request, written for each client. Loaded when shown. */

import { lazy, Suspense } from 'react'
import type { AnyRequest } from '../api/operations.ts'

const Panel = lazy(async () => ({ default: (await import('./commands-panel.tsx')).CommandsPanel }))
interface CommandsProps {
  /** One request, or those that an act sends for each of many. */
  readonly request: AnyRequest | readonly AnyRequest[]
  /** The labels that a resource has before the request, as the page knows them. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly footer?: string
  /** Tells panels of one page apart. */
  readonly label?: string
}

/** The panel beside a form. */
export function Commands(props: CommandsProps) {
  return (
    <Suspense>
      <Panel {...props} />
    </Suspense>
  )
}
