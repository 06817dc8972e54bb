/** The ways in which one signs in: password, passkeys, one-time codes, recovery codes, identity providers. */

import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { Button } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { NameDialog } from '../../ui/name-dialog.tsx'
import { Note } from '../../ui/note.tsx'
import { Halves } from '../../ui/page.tsx'
import { State } from '../../ui/state.tsx'
import { account as english } from '../../words/account.ts'
import { ago } from '../../words/format.ts'
import { AccountFrame } from './frame.tsx'
import { LinkedCard } from './linked.tsx'
import { PasskeyCard } from './passkeys.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { RecoveryDialog } from './recovery-dialog.tsx'
import { TotpDialog } from './totp-dialog.tsx'
import { nameOf, type Way, WayRow } from './way-row.tsx'

const w = english.security
const api = apiOf(undefined)

/** The dialog open on top of the page. */
type Open =
  | { readonly kind: 'password' | 'totp' | 'new-codes' }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  | { readonly kind: 'remove' | 'rename'; readonly way: Way }

export function SecurityPage() {
  const outdate = useOutdate()
  const [
    {
      data: { credentials, recovery_codes_left: codesLeft },
    },
    {
      data: { account },
    },
  ] = [useSuspenseQuery(api.query('people_credentials', {})), useSuspenseQuery(api.query('people_account', {}))]
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const refresh = () => outdate('people')
  const ofKind = (kind: Way['kind']) => credentials.filter((one) => one.kind === kind)
  const [password] = ofKind('password')
  const [totp] = ofKind('totp')
  const menu = (way: Way): readonly MenuEntry[] => [
    ...(way.kind === 'passkey'
      ? [{ key: 'rename', isEdit: true, label: w.rename, onSelect: () => setOpen({ kind: 'rename', way }) }]
      : []),
    {
      key: 'remove',
      label: w.removeAct,
      icon: 'trash',
      isBad: true,
      onSelect: () => setOpen({ kind: 'remove', way }),
    },
  ]
  const showCodes = (codes: readonly string[] | null) => {
    if (codes) setOpen({ kind: 'codes', codes })
    else close()
  }
  return (
    <AccountFrame tab="security">
      <Halves>
        <PasskeyCard
          passkeys={ofKind('passkey')}
          isPossible={account.can_have_passkeys}
          menu={menu}
          onCodes={showCodes}
          refresh={refresh}
        />
        <PasswordCard password={password} menu={menu} onChange={() => setOpen({ kind: 'password' })} />
        <CodesCard
          totp={totp}
          wrong={account.wrong_codes}
          onSetUp={() => setOpen({ kind: 'totp' })}
          onRemove={(way) => setOpen({ kind: 'remove', way })}
        />
        <RecoveryCard
          left={codesLeft}
          isOn={totp !== undefined || ofKind('passkey').length > 0}
          onMake={() => setOpen({ kind: 'new-codes' })}
        />
        {(account.identity_provider !== null || ofKind('oidc').length > 0) && (
          <LinkedCard linked={ofKind('oidc')} provider={account.identity_provider} menu={menu} />
        )}
      </Halves>
      {open?.kind === 'password' && (
        <PasswordDialog hasOne={password !== undefined} refresh={refresh} onClose={close} />
      )}
      {open?.kind === 'totp' && <TotpDialog refresh={refresh} onDone={showCodes} onClose={close} />}
      {open?.kind === 'codes' && <RecoveryDialog codes={open.codes} onClose={close} />}
      {open?.kind === 'new-codes' && <NewCodes onCodes={showCodes} refresh={refresh} onClose={close} />}
      {open?.kind === 'rename' && (
        <NameDialog
          title={w.renameTitle}
          initial={ofKind(open.way.kind).find(({ id }) => id === open.way.id)?.name ?? open.way.name}
          onSave={async (name) => {
            await api.call('people_renameCredential', { params: { id: open.way.id }, body: { name } })
            await refresh()
          }}
          onClose={close}
        />
      )}
      {open?.kind === 'remove' && <RemoveWay way={open.way} refresh={refresh} onClose={close} />}
    </AccountFrame>
  )
}

function PasswordCard({
  password,
  menu,
  onChange,
}: {
  readonly password: Way | undefined
  readonly menu: (way: Way) => readonly MenuEntry[]
  readonly onChange: () => void
}) {
  return (
    <Card title={w.password} footer={<Button onClick={onChange}>{password ? w.changePassword : w.setPassword}</Button>}>
      {password ? (
        <List>
          <WayRow way={password} aside={w.hasPassword} menu={menu} />
        </List>
      ) : (
        <List>
          <li className="dim">{w.noPassword}</li>
        </List>
      )}
    </Card>
  )
}

function CodesCard({
  totp,
  wrong,
  onSetUp,
  onRemove,
}: {
  readonly totp: Way | undefined
  readonly wrong: ReplyFor<'people_account'>['account']['wrong_codes']
  readonly onSetUp: () => void
  readonly onRemove: (way: Way) => void
}) {
  const footer = totp ? (
    <Button onClick={() => onRemove(totp)}>{w.removeCodes}</Button>
  ) : (
    <Button onClick={onSetUp}>{w.setUpCodes}</Button>
  )
  return (
    <Card
      title={w.codes}
      end={<State mood={totp ? 'ok' : 'off'}>{totp ? w.codesOn : w.codesOff}</State>}
      padded
      footer={footer}
    >
      <p className="dim">{w.codesText}</p>
      {wrong && <Note mood="warn">{w.codesTried(wrong.count, ago(wrong.since))}</Note>}
    </Card>
  )
}

function RecoveryCard({
  left,
  isOn,
  onMake,
}: {
  readonly left: number
  readonly isOn: boolean
  readonly onMake: () => void
}) {
  return (
    <Card
      title={w.recovery}
      end={isOn && <State mood={left > 2 ? 'ok' : 'warn'}>{w.recoveryLeft(left)}</State>}
      padded
      footer={isOn && <Button onClick={onMake}>{w.newRecovery}</Button>}
    >
      <p className="dim">{isOn ? w.recoveryText : w.recoveryNone}</p>
    </Card>
  )
}

interface ActProps {
  readonly refresh: () => Promise<void>
  readonly onClose: () => void
}

function RemoveWay({ way, refresh, onClose }: ActProps & { readonly way: Way }) {
  const name = nameOf(way)
  const remove = async () => {
    await api.call('people_removeCredential', { params: { id: way.id } })
    await refresh()
  }
  return (
    <Confirm title={w.removeTitle(name)} text={w.removeText} act={w.removeAct} onConfirm={remove} onClose={onClose} />
  )
}

/** Asks first, because the old codes stop working. */
function NewCodes({
  onCodes,
  refresh,
  onClose,
}: ActProps & { readonly onCodes: (codes: readonly string[] | null) => void }) {
  const make = async () => {
    const { recovery_codes: codes } = await api.call('people_makeRecoveryCodes', {})
    await refresh()
    // The question closes itself when this is done, and the codes open after it.
    setTimeout(onCodes, 0, codes)
  }
  return (
    <Confirm
      title={w.newRecoveryTitle}
      text={w.newRecoveryText}
      act={w.newRecovery}
      onConfirm={make}
      onClose={onClose}
    />
  )
}
