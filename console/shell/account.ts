/** The menu of the one who is signed in. */
import type { Whoami } from '../api/session.ts'
import { perform, shortcuts } from '../shortcuts.ts'
import type { MenuEntry } from '../ui/menu-entry.ts'
import { shell as w } from '../words/shell.ts'
import { languageEntries, lookEntries } from './settings.ts'

/** `go` leads to a page of the console. Only people have an account; tokens that opened a session have none. */
export function accountEntries({ kind, operator }: Whoami, go: (to: string) => void): MenuEntry[] {
  return [
    ...(kind === 'person'
      ? [{ key: 'profile', label: w.profile, icon: 'person' as const, onSelect: () => go('/account/profile') }]
      : []),
    ...(operator
      ? [
          {
            key: 'admin',
            label: w.navigation.installation,
            icon: 'settings' as const,
            onSelect: () => go('/admin/people'),
          },
        ]
      : []),
    { key: 'keys', label: w.shortcuts, icon: 'terminal', keys: shortcuts.help.keys, onSelect: () => perform('help') },
    'line',
    ...(window.matchMedia('(max-width: 56.24em)').matches ? [...lookEntries(), 'line' as const] : []),
    ...languageEntries(),
    'line',
    { key: 'out', label: w.signOut, icon: 'logout', onSelect: signOut },
  ]
}

/** The page of signing out is a plain form, as is that of signing in. */
export function signOut(): void {
  const form = document.createElement('form')
  form.method = 'post'
  form.action = '/console/logout'
  document.body.append(form)
  form.submit()
}
