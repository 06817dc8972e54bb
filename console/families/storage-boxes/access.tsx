/** The tab shows by what a Storage Box is reached, and the commands of each program for each account. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { Equivalents } from '../../pages/shared/equivalents.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CommandLine } from '../../ui/copy.tsx'
import { sent } from '../../ui/dialog-props.ts'
import { Elsewhere } from '../../ui/elsewhere.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Note } from '../../ui/note.tsx'
import { useUnsaved } from '../../ui/unsaved.ts'
import { useDraft } from '../../ui/use-draft.ts'
import { access as w } from './access.words.ts'
import type { Box, Subaccount } from './box.ts'
import styles from './boxes.module.css'
import { type ClientCommands, sshCommands, webdavCommands } from './clients.ts'
import { type Doors, wayOf } from './doors.ts'
import { boxFlags, FlagsField } from './flags.tsx'
import { boxes as b } from './words.ts'

export function AccessTab({ box }: { readonly box: Box }) {
  const params = { id: box.id }
  const { data: subaccounts } = useSuspenseQuery(useApi().list('storage_boxes_listSubaccounts', { params }))
  const { doors } = useSuspenseQuery(useApi().query('storage_boxes_getDoors', { params })).data
  const [chosen, choose] = useState('')
  const account = subaccounts.find(({ username }) => username === chosen) ?? box
  return (
    <>
      <Settings box={box} />
      {box.username === null ? (
        <p className="dim">{w.notYet}</p>
      ) : (
        <>
          {subaccounts.length > 0 && (
            <SelectField
              label={w.account}
              value={account.username ?? ''}
              options={[
                { value: box.username, label: w.main(box.username) },
                ...subaccounts.map(({ username, home_directory: home }) => ({
                  value: username,
                  label: w.of(username, home),
                })),
              ]}
              onChange={choose}
            />
          )}
          <Ways account={account} doors={doors} />
        </>
      )}
    </>
  )
}

function Settings({ box: { id, status, access_settings } }: { readonly box: Box }) {
  const mayChange = useReason('storage_boxes_updateAccessSettings')
  const draft = useDraft({ access_settings }, String(id))
  const { value, isDirty } = draft
  const request: ApiRequest<'storage_boxes_updateAccessSettings'> = {
    operation: 'storage_boxes_updateAccessSettings',
    params: { id },
    body: { ...value.access_settings },
  }
  const { isBusy, cause, send } = useRequest({
    request,
    families: ['storage_boxes'],
    done: () => draft.saved(value),
  })
  useUnsaved(isDirty && !isBusy)
  const reason = mayChange ?? (status === 'initializing' ? b.notYet : undefined)
  return (
    <form noValidate onSubmit={sent(() => reason === undefined && send())}>
      <Card title={w.settings} padded footer={w.settingsText}>
        <FlagsField
          isLabelHidden
          flags={boxFlags}
          value={value.access_settings}
          onChange={(access_settings) => draft.change({ access_settings })}
        />
        <Elsewhere {...draft} />
        {cause !== undefined && <FailureNote cause={cause} />}
        <span>
          <Button type="submit" look="primary" isBusy={isBusy} reason={reason}>
            {w.saveAct}
          </Button>
        </span>
        {isDirty && <Equivalents request={request} />}
      </Card>
    </form>
  )
}

function Ways({ account, doors }: { readonly account: Box | Subaccount; readonly doors: Doors }) {
  const way = wayOf(account, doors)
  if (!way) return null
  const { ssh_enabled: ssh, webdav_enabled: webdav, reachable_externally: isOutside } = account.access_settings
  const warningOf = (door: keyof Doors, isOn: boolean) => {
    if (doors[door] === null) return w.isClosed(`--storage-${door}`)
    return isOn ? undefined : w.isOff(b.flags[`${door}_enabled`])
  }
  return (
    <>
      {!isOutside && <Note mood="warn">{w.isInside}</Note>}
      <Clients title={w.ssh} text={w.sshText} warning={warningOf('ssh', ssh)} clients={sshCommands(way)} />
      <Clients
        title={w.webdav}
        text={w.webdavText}
        warning={warningOf('webdav', webdav)}
        clients={webdavCommands(way)}
      />
    </>
  )
}

interface ClientsProps {
  readonly title: string
  readonly text: string
  readonly warning: string | undefined
  readonly clients: readonly ClientCommands[]
}

function Clients({ title, text, warning, clients }: ClientsProps) {
  return (
    <Card title={title} padded footer={text}>
      {warning && <Note mood="warn">{warning}</Note>}
      {clients.map(({ client, lines }) => (
        <section key={client} className={styles.client} aria-label={`${client}, ${title}`}>
          <h3>{client}</h3>
          <div className="stack">
            {lines.map((line) => (
              <CommandLine key={line} text={line} />
            ))}
          </div>
        </section>
      ))}
    </Card>
  )
}
