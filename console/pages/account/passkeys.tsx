/** Passkeys: those that there are, and making one in this browser. */
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import { canMakePasskeys, makePasskey, wasCancelled } from '../../api/passkeys.ts'
import { Button } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormFooter } from '../../ui/form-footer.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { Note } from '../../ui/note.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { account } from '../../words/account.ts'
import { browserOf } from './agents.ts'
import { type Way, WayRow } from './way-row.tsx'

const w = account.security
const on = account.sessions.on
const api = apiOf(undefined)

interface PasskeysProps {
  readonly passkeys: readonly Way[]
  /** True while the server can have passkeys at this address. */
  readonly isPossible: boolean
  readonly menu: (way: Way) => readonly MenuEntry[]
  readonly onCodes: (codes: readonly string[] | null) => void
  readonly refresh: () => Promise<void>
}

export function PasskeyCard({ passkeys, isPossible, menu, onCodes, refresh }: PasskeysProps) {
  const [isAdding, add] = useState(false)
  const reason = isPossible && canMakePasskeys() ? undefined : w.noPasskeysHere
  return (
    <Card
      title={w.passkeys}
      footer={
        <Button look="primary" icon="passkey" reason={reason} onClick={() => add(true)}>
          {w.addPasskey}
        </Button>
      }
    >
      <List>
        {passkeys.map((way) => (
          <WayRow
            key={way.id}
            way={way}
            aside={[way.host, way.is_synced ? w.synced : w.device].filter(Boolean).join(' · ')}
            menu={menu}
          />
        ))}
        {passkeys.length === 0 && (
          <li>
            <span>
              {w.noPasskeys}
              <small>{reason ?? w.passkeysText}</small>
            </span>
          </li>
        )}
      </List>
      {isAdding && <NewPasskey onCodes={onCodes} refresh={refresh} onClose={() => add(false)} />}
    </Card>
  )
}

function NewPasskey({
  onCodes,
  refresh,
  onClose,
}: Pick<PasskeysProps, 'onCodes' | 'refresh'> & { readonly onClose: () => void }) {
  const known = browserOf(navigator.userAgent)
  const [name, setName] = useState(known ? on(known.browser, known.system) : w.passkeyDefault)
  const submit = useSubmit()
  const add = async () => {
    let codes: readonly string[] | null = null
    const isAdded = await submit.run(async () => {
      const { options } = await api.call('people_askForPasskey', {})
      const response = await makePasskey(options)
      const reply = await api.call('people_addPasskey', { body: { name: name.trim(), response } })
      codes = reply.recovery_codes
      await refresh()
    })
    if (!isAdded) return
    onClose()
    onCodes(codes)
  }
  const isReady = name.trim() !== ''
  return (
    <Dialog
      title={w.addPasskey}
      text={w.passkeysText}
      onClose={onClose}
      onSubmit={() => void (isReady && add())}
      footer={<FormFooter act={w.addPasskey} isBusy={submit.isBusy} isReady={isReady} onClose={onClose} />}
    >
      <TextField label={w.passkeyName} value={name} onChange={setName} maxLength={100} autoFocus />
      <Problem cause={submit.cause} />
    </Dialog>
  )
}

function Problem({ cause }: { readonly cause: unknown }) {
  if (cause === undefined || wasCancelled(cause)) return null
  if (cause instanceof DOMException) {
    return (
      <Note mood="bad" isNews>
        {w.passkeyTaken}
      </Note>
    )
  }
  return <FailureNote cause={cause} />
}
