/** The commands for what a page shows and does, with the way to the reference. */
import type { AnyRequest } from '../api/operations.ts'
import { Button, ButtonAnchor } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { common as c } from '../words/common.ts'
import { resources as w } from '../words/resources.ts'
import { Commands } from './commands.tsx'
import type { NamedRequest } from './named-request.ts'

interface CommandsDialogProps {
  readonly request?: AnyRequest
  readonly requests?: readonly NamedRequest[]
  readonly onClose: () => void
}

export function CommandsDialog({ request, requests = [], onClose }: CommandsDialogProps) {
  const first = request ?? requests[0]?.request
  return (
    <Dialog
      title={c.commands}
      text={request ? undefined : w.commandsText}
      isWide
      onClose={onClose}
      footer={
        <>
          <ButtonAnchor look="quiet" icon="doc" href={`/docs#${first?.operation}`}>
            {c.documentation}
          </ButtonAnchor>
          <span className="end">
            <Button onClick={onClose}>{c.close}</Button>
          </span>
        </>
      }
    >
      {request && <Commands request={request} footer={c.readsSame} />}
      {requests.map((one) => (
        <section key={one.label} className="stack">
          <h3>{one.label}</h3>
          <Commands request={one.request} label={`${c.equivalent}: ${one.label}`} footer={w.commandFooter} />
        </section>
      ))}
    </Dialog>
  )
}
