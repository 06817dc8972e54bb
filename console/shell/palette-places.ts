/** The hits of the palette that need no name: pages, what can be created, Projects, one's account, and settings. */
import { typeOf } from '../api/operations.ts'
import type { Project, Whoami } from '../api/session.ts'
import { type Family, families, projectLink } from '../families.ts'
import { typeName } from '../lib/api-names.ts'
import { isThere } from '../lib/lab.ts'
import { isRegistered, perform, shortcuts } from '../shortcuts.ts'
import type { Route, Target } from '../ui/link.tsx'
import type { MenuEntry } from '../ui/menu-entry.ts'
import { account as own } from '../words/account.ts'
import { admin } from '../words/admin.ts'
import { palette as w } from '../words/palette.ts'
import { shell as frame } from '../words/shell.ts'
import { signOut } from './account.ts'
import { navigation } from './navigation.ts'
import type { Hit } from './palette-hit.ts'
import { densityEntries, languageEntries, themeEntries } from './settings.ts'

const adminPages = Object.entries(admin.tabs).filter(([tab]) => isThere(tab))

type Go = (target: Target) => Promise<void>

export function pageHits(go: Go): readonly Hit[] {
  return navigation()
    .flatMap(({ entries }) => entries)
    .map(({ to, label, icon, keys }) => ({ key: to, group: w.pages, label, icon, keys, act: () => void go({ to }) }))
}

/** Families with a page for it are led there; others open their dialog on the list. */
export function createHits(go: Go, reasonOf: (family: Family) => string | undefined): readonly Hit[] {
  return (Object.keys(families) as Family[])
    .filter((family) => families[family].creates !== 'elsewhere')
    .map((family) => {
      const { icon, pages } = families[family]
      return {
        key: `create ${family}`,
        group: w.actions,
        label: w.create(typeName(typeOf(family))),
        icon,
        reason: reasonOf(family),
        act: () => (pages.create ? void go({ to: pages.create }) : createOn(pages.list, go)),
      }
    })
}

function createOn(list: Route, go: Go): void {
  const isHere = window.location.pathname.endsWith(list.replace('/projects/$project', ''))
  if (isHere) perform('create')
  else {
    const heading = document.querySelector('h1')
    void go({ to: list }).then(() => performOn(heading))
  }
}

/** Creates once the page of another heading is there and has said how. */
function performOn(old: Element | null, frames = 600): void {
  if (frames === 0) return
  const isThere = document.querySelector('h1') !== old && isRegistered('create')
  if (isThere) perform('create')
  else requestAnimationFrame(() => performOn(old, frames - 1))
}

export function projectHits(projects: readonly Project[], open: number | undefined, go: Go): readonly Hit[] {
  const all: Hit = {
    key: 'projects',
    group: w.projects,
    label: frame.allProjects,
    icon: 'overview',
    act: () => void go({ to: '/' }),
  }
  const others = projects.filter(({ id, role }) => role && id !== open)
  return [
    all,
    ...others.map(
      ({ id, name, role }): Hit => ({
        key: `project ${id}`,
        group: w.projects,
        label: name,
        aside: frame.roles[role!],
        icon: 'overview',
        act: () => void go(projectLink(id)),
      }),
    ),
  ]
}

/** Tokens that opened a session have no account. */
export function accountHits(whoami: Whoami | undefined, go: Go): readonly Hit[] {
  if (whoami?.kind !== 'person') return []
  const pages = [
    ['/account/profile', own.profile.title],
    ['/account/security', own.security.title],
    ['/account/sessions', own.sessions.title],
  ] as const
  return pages.map(([to, label]) => ({
    key: to,
    group: frame.profile,
    label,
    icon: 'person',
    act: () => void go({ to }),
  }))
}

export function adminHits(whoami: Whoami | undefined, go: Go): readonly Hit[] {
  if (!whoami?.operator) return []
  return adminPages.map(([tab, label]) => ({
    key: `/admin/${tab}`,
    group: frame.navigation.installation,
    label,
    icon: 'settings',
    act: () => void go({ to: '/admin/{-$tab}', params: { tab } }),
  }))
}

/** Theme, density and language but for what is chosen already, the shortcuts, and the way out. */
export function settingHits(): readonly Hit[] {
  const choices = (what: string, icon: Hit['icon'], entries: readonly MenuEntry[]) =>
    entries.flatMap((entry): Hit[] =>
      entry === 'line' || entry.isChosen
        ? []
        : [
            {
              key: `${what} ${entry.key}`,
              group: w.settings,
              label: `${what}: ${entry.label}`,
              icon,
              act: () => entry.onSelect?.(),
            },
          ],
    )
  return [
    ...choices(frame.theme, 'theme', themeEntries()),
    ...choices(frame.density, 'theme', densityEntries()),
    ...choices(frame.language, 'theme', languageEntries()),
    {
      key: 'keys',
      group: w.settings,
      label: frame.shortcuts,
      icon: 'terminal',
      keys: shortcuts.help.keys,
      act: () => perform('help'),
    },
    { key: 'out', group: w.settings, label: frame.signOut, icon: 'logout', act: signOut },
  ]
}
