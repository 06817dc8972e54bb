/** The button that shows what a page does as commands. */
import { useState } from 'react'
import type { AnyRequest } from '../../api/operations.ts'
import { Commands } from '../../shell/commands.tsx'
import { Button, ButtonAnchor } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { common } from '../../words/en/common.ts'
import { resources as english } from '../../words/en/resources.ts'
import { wordsOf } from '../../words/words.ts'

const w = wordsOf('resources', english)
const c = wordsOf('common', common)

export interface NamedRequest {
  readonly label: string
  readonly request: AnyRequest
}

/** Shows what can be done on a page as commands, and leads to the reference of the first of them. */
export function CommandsButton({ requests }: { readonly requests: readonly NamedRequest[] }) {
  const [isOpen, open] = useState(false)
  useShortcut('commands', () => open(true))
  return (
    <>
      <Button look="quiet" icon="terminal" keys="`" onClick={() => open(true)}>
        {c.commands}
      </Button>
      {isOpen && (
        <Dialog
          title={c.commands}
          text={w.commandsText}
          isWide
          onClose={() => open(false)}
          footer={
            <>
              <ButtonAnchor look="quiet" icon="doc" href={`/docs#${requests[0]?.request.operation}`}>
                {c.documentation}
              </ButtonAnchor>
              <span className="end">
                <Button onClick={() => open(false)}>{c.close}</Button>
              </span>
            </>
          }
        >
          {requests.map(({ label, request }) => (
            <section key={label} className="stack">
              <h3>{label}</h3>
              <Commands request={request} footer={w.commandFooter} />
            </section>
          ))}
        </Dialog>
      )}
    </>
  )
}
