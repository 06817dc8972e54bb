/** The navigation of a Project: which pages it leads to, and by which keys. */
import { families } from '../families.ts'
import { defineNavigation, type NavigationEntry } from '../shell/navigation.ts'
import { shell as words } from '../words/shell.ts'
import type { Entry } from './entry.ts'

const w = words.navigation

interface Placed extends NavigationEntry, Pick<Entry, 'group' | 'place'> {}

/** The lists of families. Nothing counts what they hold, because only lists that were opened would be counted. */
const lists = Object.values(families).map(({ pages, ...entry }): Placed => ({ ...entry, to: pages.list }))

const pages: readonly Placed[] = [
  { place: 0, to: '/projects/$project', label: w.overview, icon: 'overview', keys: 'G O' },
  { place: 30, to: '/projects/$project/reach', label: w.reach, icon: 'eye', keys: 'G W' },
  {
    place: 200,
    to: '/projects/$project/security/tokens',
    label: w.tokens,
    icon: 'token',
    keys: 'G T',
    group: 'security',
  },
  {
    place: 220,
    to: '/projects/$project/security/members',
    label: w.members,
    icon: 'people',
    keys: 'G M',
    group: 'security',
  },
  {
    place: 230,
    to: '/projects/$project/security/audit',
    label: w.audit,
    icon: 'report',
    keys: 'G U',
    group: 'security',
  },
  { place: 300, to: '/projects/$project/activity', label: w.activity, icon: 'activity', keys: 'G A', group: 'project' },
  { place: 310, to: '/projects/$project/settings', label: w.settings, icon: 'settings', keys: 'G E', group: 'project' },
  { place: 320, to: '/projects/$project/raw', label: w.raw, icon: 'terminal', keys: 'G R', group: 'project' },
]

const entries = [...pages, ...lists].sort((one, other) => one.place - other.place)
const entriesOf = (wanted: Entry['group']) => entries.filter(({ group }) => group === wanted)

defineNavigation([
  { entries: entriesOf(undefined) },
  { title: w.security, entries: entriesOf('security') },
  { title: words.project, entries: entriesOf('project') },
])
