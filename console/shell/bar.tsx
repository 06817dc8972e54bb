/** The top bar: search, what runs, how many requests are left, the theme and the account. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useActions } from '../api/actions.ts'
import { useProjectId } from '../api/api.ts'
import { rate } from '../api/client.ts'
import { type Whoami, whoamiQuery } from '../api/session.ts'
import { useStore } from '../lib/store.ts'
import { perform } from '../shortcuts.ts'
import button from '../ui/button.module.css'
import { IconButton } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { Icon } from '../ui/icon.tsx'
import { MenuOf } from '../ui/menu.tsx'
import { Progress } from '../ui/progress.tsx'
import styles from '../ui/shell.module.css'
import { Sign } from '../ui/state.tsx'
import { useShortcutText } from '../ui/use-shortcut-text.ts'
import { number } from '../words/format.ts'
import { shell as w } from '../words/shell.ts'
import { Brand } from './side.tsx'

const NavigationSheet = lazy(async () => ({ default: (await import('./navigation-sheet.tsx')).NavigationSheet }))

export function Bar() {
  const [isMenuOpen, openMenu] = useState(false)
  const project = useProjectId()
  const actions = useActions(project)
  const keys = useShortcutText('Mod+K')
  return (
    <header className={styles.bar}>
      <IconButton
        icon="menu"
        label={w.menu}
        className="only-narrow"
        aria-expanded={isMenuOpen}
        onClick={() => openMenu(true)}
      />
      <span className="only-narrow">
        <Brand />
      </span>
      <button
        type="button"
        className={styles.find}
        aria-label={w.find}
        aria-haspopup="dialog"
        onClick={() => perform('palette')}
      >
        <Icon name="search" />
        <span>{w.find}</span>
        <kbd data-keys={keys?.join(' ')} />
      </button>
      <div className={styles['bar-end']}>
        <Running count={actions.filter(({ status }) => status === 'running').length} />
        <RateGauge />
        <hr className="not-narrow" />
        <ThemeButton />
        <AccountButton />
      </div>
      {actions.length > 0 && (
        <Progress
          className={styles.horizon}
          label={w.runningList}
          value={
            actions.reduce((sum, { progress, status }) => sum + (status === 'running' ? progress : 100), 0) /
            actions.length
          }
        />
      )}
      {isMenuOpen && (
        <Suspense>
          <NavigationSheet onClose={() => openMenu(false)} />
        </Suspense>
      )}
    </header>
  )
}

function Running({ count }: { readonly count: number }) {
  if (count === 0) return null
  return (
    <span className={styles.running} role="status" aria-label={w.running(count)}>
      <Sign mood="busy" progress={63} />
      {number(count)}
      <span>{w.runningShort}</span>
    </span>
  )
}

function RateGauge() {
  const known = useStore(rate)
  if (!known) return null
  const [left, limit] = [number(known.remaining), number(known.limit)]
  const share = known.remaining / known.limit
  return (
    <span className={cx(button.btn, button.quiet, 'not-narrow', styles.gauge)} title={w.rate(left, limit)}>
      <Sign mood={share > 0.2 ? 'ok' : 'warn'} />
      <span className="vh">{w.rate(left, limit)}</span>
      <span className="num" aria-hidden="true">
        {left}
      </span>
      <span className="faint" aria-hidden="true">
        {w.left}
      </span>
    </span>
  )
}

function ThemeButton() {
  return (
    <span className="not-narrow">
      <MenuOf label={w.theme} entries={async () => (await import('./settings.ts')).lookEntries()} align="end">
        {(menu) => <IconButton icon="theme" label={w.theme} {...menu} />}
      </MenuOf>
    </span>
  )
}

/** `JN` for Jana Nord; of the address while there is no name. */
function initialsOf({ display_name: name, name: address }: Whoami): string {
  const [, first, last] = /^(\S).*\s(\S)\S*$/.exec(name ?? '') ?? []
  return (first ? first + last : (name ?? address).slice(0, 2)).toUpperCase()
}

function AccountButton() {
  const navigate = useNavigate()
  const go = (to: string) => void navigate({ to } as never)
  const { data: { whoami: me } = {} } = useQuery(whoamiQuery)
  if (!me) return null
  return (
    <MenuOf
      label={w.account(me.name)}
      entries={async () => (await import('./account.ts')).accountEntries(me, go)}
      align="end"
    >
      {(menu) => (
        <button
          type="button"
          className={cx(button.btn, button.quiet, button.only)}
          aria-label={w.account(me.name)}
          {...menu}
        >
          <span className={styles.face} data-initials={initialsOf(me)} />
        </button>
      )}
    </MenuOf>
  )
}
