/** Changes the machine: its type, its disk, and the ways in when its keys are lost. */

import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/api.ts'
import type { Password } from '../../../pages/shared/passwords-dialog.tsx'
import { useReason } from '../../../shell/may.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { SelectField } from '../../../ui/field.tsx'
import { Columns } from '../../../ui/page.tsx'
import { State } from '../../../ui/state.tsx'
import { common as c } from '../../../words/common.ts'
import type { Image } from '../draft.ts'
import { newServer as n } from '../new.words.ts'
import { Passwords } from '../passwords.tsx'
import { busyReason } from './busy.ts'
import type { ChangeProps } from './change-dialogs.tsx'
import { type ChangeAct, ChangeDialogs, type Ticket, TicketDialog } from './change-dialogs.tsx'
import { GroupCard } from './group-card.tsx'
import { IsoCard } from './iso-card.tsx'
import { labelOf, RebuildDialog } from './rebuild-dialog.tsx'
import { RescaleCard } from './rescale.tsx'
import type { TabProps } from './tab.ts'
import { serverTabs } from './words.ts'

const w = serverTabs.change

export function ChangeTab({ server, action }: TabProps) {
  const [asked, ask] = useState<ChangeAct>()
  const [password, setPassword] = useState<Password>()
  const [ticket, setTicket] = useState<Ticket>()
  const part = { server, busy: busyReason(server, action), ask }
  return (
    <>
      <Columns
        aside={
          <>
            <RescueCard {...part} />
            <PasswordCard {...part} />
            <IsoCard {...part} />
            <ConsoleCard {...part} />
            <GroupCard {...part} />
          </>
        }
      >
        <RescaleCard {...part} />
        <RebuildCard {...part} onPassword={setPassword} />
      </Columns>
      {asked && (
        <ChangeDialogs
          asked={asked}
          server={server}
          onPassword={setPassword}
          onTicket={setTicket}
          onClose={() => ask(undefined)}
        />
      )}
      {password && <Passwords passwords={[password]} onClose={() => setPassword(undefined)} />}
      {ticket && <TicketDialog name={server.name} ticket={ticket} onClose={() => setTicket(undefined)} />}
    </>
  )
}

type RebuildProps = Omit<ChangeProps, 'ask'> & { readonly onPassword: (password: Password) => void }

function RebuildCard({ server, busy, onPassword }: RebuildProps) {
  const api = useApi()
  const { architecture } = server.server_type
  const { data: images } = useSuspenseQuery({
    ...api.list('images_list', { query: { architecture: [architecture], status: ['available'] } }),
    select: (all) => all.filter(({ disk_size: needed }) => needed <= server.primary_disk_size),
  })
  const current = images.find(({ id }) => id === server.image?.id) ?? images[0]
  const [chosen, choose] = useState(current ? String(current.id) : '')
  const [isAsking, setAsking] = useState(false)
  const may = useReason('servers_rebuild')
  const image = images.find(({ id }) => String(id) === chosen)
  const reason = may ?? (server.protection.rebuild ? w.isProtected : busy)
  return (
    <Card title={w.rebuild} padded>
      <p className="dim">{w.rebuildText}</p>
      <SelectField
        label={w.image}
        value={chosen}
        options={images.map((one) => ({ value: String(one.id), label: optionOf(one) }))}
        onChange={choose}
      />
      {image && (
        <p>
          <Button look="danger" icon="restart" reason={reason} onClick={() => setAsking(true)}>
            {w.rebuildAct(labelOf(image))}
          </Button>
        </p>
      )}
      {image && isAsking && (
        <RebuildDialog server={server} image={image} onPassword={onPassword} onClose={() => setAsking(false)} />
      )}
    </Card>
  )
}

function optionOf(image: Image): string {
  return image.type === 'system' ? image.description : `${n.kinds[image.type]}: ${labelOf(image)}`
}

function RescueCard({ server, busy, ask }: ChangeProps) {
  const mayEnable = useReason('servers_enableRescue')
  const mayDisable = useReason('servers_disableRescue')
  return (
    <Card title={w.rescue} padded>
      <State mood={server.rescue_enabled ? 'warn' : 'off'}>{server.rescue_enabled ? w.rescueOn : c.off}</State>
      <p className="dim">{w.rescueText}</p>
      <p>
        {server.rescue_enabled ? (
          <Button reason={mayDisable ?? busy} onClick={() => ask({ kind: 'disable-rescue' })}>
            {w.disableRescue}
          </Button>
        ) : (
          <Button reason={mayEnable ?? busy} onClick={() => ask({ kind: 'enable-rescue' })}>
            {w.enableRescue}
          </Button>
        )}
      </p>
    </Card>
  )
}

function PasswordCard({ server, busy, ask }: ChangeProps) {
  const may = useReason('servers_resetPassword')
  return (
    <Card title={w.password} padded>
      <p className="dim">{w.passwordText}</p>
      <p>
        <Button
          reason={may ?? busy ?? (server.status === 'running' ? undefined : w.mustRun)}
          onClick={() => ask({ kind: 'password' })}
        >
          {w.resetPassword}
        </Button>
      </p>
    </Card>
  )
}

function ConsoleCard({ server, ask }: ChangeProps) {
  const may = useReason('servers_requestConsole')
  return (
    <Card title={w.console} padded>
      <p className="dim">{w.consoleText}</p>
      <p>
        <Button
          icon="terminal"
          reason={may ?? (server.status === 'running' ? undefined : w.mustRun)}
          onClick={() => ask({ kind: 'console' })}
        >
          {w.ask}
        </Button>
      </p>
    </Card>
  )
}
