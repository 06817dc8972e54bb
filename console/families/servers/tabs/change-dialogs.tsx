/** The dialogs of what changes the machine. Each shows the commands that do the same. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useApi } from '../../../api/api.ts'
import { FormDialog } from '../../../pages/shared/form-dialog.tsx'
import type { Password } from '../../../pages/shared/passwords-dialog.tsx'
import { Button } from '../../../ui/button.tsx'
import { Check } from '../../../ui/check.tsx'
import { CommandLine } from '../../../ui/copy.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { common as c } from '../../../words/common.ts'
import type { Server } from '../server.ts'
import { serverTabs } from './words.ts'

const w = serverTabs.change
const changed = ['servers']

/** A dialog that was asked for. */
export type ChangeAct =
  | { readonly kind: 'enable-rescue' | 'disable-rescue' | 'password' | 'detach-iso' | 'console' }
  | { readonly kind: 'attach-iso'; readonly iso: string }
  | { readonly kind: 'rescale'; readonly type: string; readonly growsDisk: boolean; readonly text: string }

/** The address of a console, and the password for it. */
export interface Ticket {
  readonly wss_url: string
  readonly password: string
}

interface OneProps {
  readonly server: Server
  readonly onClose: () => void
}

interface DialogsProps extends OneProps {
  readonly asked: ChangeAct
  readonly onPassword: (password: Password) => void
  readonly onTicket: (ticket: Ticket) => void
}

export function ChangeDialogs({ asked, onPassword, onTicket, ...one }: DialogsProps): ReactNode {
  const { name, id } = one.server
  const shared = { families: changed, onClose: one.onClose }
  const params = { id }
  switch (asked.kind) {
    case 'rescale':
      return (
        <FormDialog
          {...shared}
          title={w.rescaleTitle(name, asked.type)}
          text={asked.text}
          act={w.rescaleAct(asked.type)}
          request={{
            operation: 'servers_changeType',
            params,
            body: { server_type: asked.type, upgrade_disk: asked.growsDisk },
          }}
        />
      )
    case 'enable-rescue':
      return <RescueDialog {...one} onPassword={onPassword} />
    case 'disable-rescue':
      return (
        <FormDialog
          {...shared}
          title={w.disableTitle(name)}
          text={w.disableText}
          act={w.disableRescue}
          request={{ operation: 'servers_disableRescue', params }}
        />
      )
    case 'password':
      return (
        <FormDialog
          {...shared}
          title={w.resetTitle(name)}
          text={w.resetText}
          act={w.resetPassword}
          request={{ operation: 'servers_resetPassword', params }}
          onDone={({ root_password: password }) => onPassword({ name, password })}
        />
      )
    case 'console':
      return (
        <FormDialog
          {...shared}
          title={w.consoleTitle(name)}
          text={w.consoleText}
          act={w.ask}
          request={{ operation: 'servers_requestConsole', params }}
          onDone={onTicket}
        />
      )
    default:
      return <IsoDialog {...one} iso={asked.kind === 'attach-iso' ? asked.iso : undefined} />
  }
}

function IsoDialog({ server: { id, name }, iso, onClose }: OneProps & { readonly iso: string | undefined }) {
  const shared = { families: changed, onClose }
  return iso === undefined ? (
    <FormDialog
      {...shared}
      title={w.detachTitle(name)}
      text={w.diskStarts}
      act={w.detachIso}
      request={{ operation: 'servers_detachIso', params: { id } }}
    />
  ) : (
    <FormDialog
      {...shared}
      title={w.attachTitle(iso, name)}
      text={w.isoStarts}
      act={w.attachIso}
      request={{ operation: 'servers_attachIso', params: { id }, body: { iso } }}
    />
  )
}

function RescueDialog({ server: { id, name }, onPassword, onClose }: OneProps & Pick<DialogsProps, 'onPassword'>) {
  const { data: keys } = useSuspenseQuery(useApi().list('ssh_keys_list', {}))
  const [chosen, choose] = useState<readonly number[]>([])
  const body = chosen.length > 0 ? { ssh_keys: [...chosen] } : {}
  return (
    <FormDialog
      title={w.enableTitle(name)}
      text={w.rescueText}
      act={w.enableRescue}
      request={{ operation: 'servers_enableRescue', params: { id }, body }}
      families={changed}
      onDone={({ root_password: password }) => onPassword({ name, password })}
      onClose={onClose}
    >
      {keys.length === 0 ? (
        <p className="faint">{w.noKeys}</p>
      ) : (
        <fieldset>
          <legend>{w.rescueKeys}</legend>
          {keys.map((key) => (
            <Check
              key={key.id}
              checked={chosen.includes(key.id)}
              onChange={(on) => choose(on ? [...chosen, key.id] : chosen.filter((one) => one !== key.id))}
            >
              {key.name}
            </Check>
          ))}
        </fieldset>
      )}
    </FormDialog>
  )
}

interface TicketProps {
  readonly name: string
  readonly ticket: Ticket
  readonly onClose: () => void
}

/** The address of a console and its password, for a viewer of VNC. */
export function TicketDialog({ name, ticket, onClose }: TicketProps) {
  return (
    <Dialog
      title={w.consoleTitle(name)}
      text={w.ticketText}
      onClose={onClose}
      footer={
        <Button className="end" onClick={onClose}>
          {c.close}
        </Button>
      }
    >
      <div className="stack">
        <b>{w.address}</b>
        <CommandLine text={ticket.wss_url} />
      </div>
      <div className="stack">
        <b>{w.vncPassword}</b>
        <CommandLine text={ticket.password} />
      </div>
    </Dialog>
  )
}

/** The props with which a card says why something cannot be done, or asks for it. */
export interface ChangeProps {
  readonly server: Server
  readonly busy: string | undefined
  readonly ask: (asked: ChangeAct) => void
}
