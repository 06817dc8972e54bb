/** The commands that do the same as a form or an act: one request, written for each client. Loaded when shown. */
import { lazy, Suspense, useState } from 'react'
import type { AnyRequest } from '../api/operations.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useShortcut } from '../ui/use-shortcut.ts'
import { common } from '../words/en/common.ts'
import { wordsOf } from '../words/words.ts'

const w = wordsOf('common', common)
const Panel = lazy(async () => ({ default: (await import('./commands-panel.tsx')).CommandsPanel }))

interface CommandsProps {
  readonly request: AnyRequest
  /** What the page knows besides: labels that a resource has before the request. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly footer?: string
}

/** The panel beside a form. */
export function Commands(props: CommandsProps) {
  return (
    <Suspense>
      <Panel {...props} />
    </Suspense>
  )
}

/** The button of a page that shows the commands for what the page itself shows. */
export function CommandsButton({ look = 'quiet', ...props }: CommandsProps & { readonly look?: 'quiet' }) {
  const [isOpen, setOpen] = useState(false)
  useShortcut('commands', () => setOpen(true))
  return (
    <>
      <Button look={look} icon="terminal" onClick={() => setOpen(true)}>
        {w.commands}
      </Button>
      {isOpen && (
        <Dialog
          title={w.equivalent}
          isWide
          onClose={() => setOpen(false)}
          footer={
            <Button className="end" onClick={() => setOpen(false)}>
              {w.close}
            </Button>
          }
        >
          <Commands {...props} footer={props.footer ?? w.readsSame} />
        </Dialog>
      )}
    </>
  )
}
