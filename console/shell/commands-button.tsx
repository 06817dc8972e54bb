/** The button of a page that shows as commands what the page shows and does. They are loaded when shown. */
import { lazy, Suspense, useState } from 'react'
import type { AnyRequest } from '../api/operations.ts'
import { Button } from '../ui/button.tsx'
import { useShortcut } from '../ui/use-shortcut.ts'
import { common as w } from '../words/common.ts'
import type { NamedRequest } from './named-request.ts'

const CommandsDialog = lazy(async () => ({ default: (await import('./commands-dialog.tsx')).CommandsDialog }))

interface CommandsButtonProps {
  /** The page's read request. */
  readonly request?: AnyRequest
  /** The requests that the page sends, by name. */
  readonly requests?: readonly NamedRequest[]
}

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
