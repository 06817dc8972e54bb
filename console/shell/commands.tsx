/** The commands that do the same as a form or an act: one request, written for each client. Loaded when shown. */
import { lazy, Suspense, useState } from 'react'
import type { AnyRequest } from '../api/operations.ts'
import { Button } from '../ui/button.tsx'
import { useShortcut } from '../ui/use-shortcut.ts'
import { common as w } from '../words/common.ts'

const Panel = lazy(async () => ({ default: (await import('./commands-panel.tsx')).CommandsPanel }))
const CommandsDialog = lazy(async () => ({ default: (await import('./commands-dialog.tsx')).CommandsDialog }))

interface CommandsProps {
  /** One request, or those that an act sends for each of many. */
  readonly request: AnyRequest | readonly AnyRequest[]
  /** What the page knows besides: labels that a resource has before the request. */
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

export interface NamedRequest {
  readonly label: string
  readonly request: AnyRequest
}

interface CommandsButtonProps {
  /** What the page reads. */
  readonly request?: AnyRequest
  /** What the page reads and does, by name. */
  readonly requests?: readonly NamedRequest[]
}

/** The button of a page that shows as commands what the page itself shows and does. */
export function CommandsButton(props: CommandsButtonProps) {
  const [isOpen, setOpen] = useState(false)
  useShortcut('commands', () => setOpen(true))
  return (
    <>
      <Button look="quiet" icon="terminal" keys="`" onClick={() => setOpen(true)}>
        {w.commands}
      </Button>
      {isOpen && (
        <Suspense>
          <CommandsDialog {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
