/** The navigation of a Project: which pages it leads to, and by which keys. */
import { type Family, families } from '../shell/families.ts'
import { defineNavigation, type NavigationEntry } from '../shell/navigation.ts'
import { shell as words } from '../words/shell.ts'

const w = words.navigation

/** The list of a family. Nothing counts what it holds, because only lists that were opened would be counted. */
function listOf(family: Family, keys: string): NavigationEntry {
  const { list, label, icon } = families[family]
  return { to: list, label, icon, keys }
}

defineNavigation([
  {
    entries: [
      { to: '/projects/$project', label: w.overview, icon: 'overview', keys: 'G O' },
      listOf('servers', 'G S'),
      listOf('firewalls', 'G F'),
      { to: '/projects/$project/reach', label: w.reach, icon: 'eye', keys: 'G W' },
      listOf('floating_ips', 'G D'),
      listOf('primary_ips', 'G P'),
      listOf('load_balancers', 'G L'),
      listOf('volumes', 'G V'),
      listOf('networks', 'G N'),
      listOf('images', 'G I'),
      listOf('certificates', 'G C'),
      listOf('zones', 'G Z'),
      listOf('placement_groups', 'G B'),
    ],
  },
  {
    title: w.security,
    entries: [
      { to: '/projects/$project/security/tokens', label: w.tokens, icon: 'token', keys: 'G T' },
      listOf('ssh_keys', 'G K'),
      { to: '/projects/$project/security/members', label: w.members, icon: 'people', keys: 'G M' },
      { to: '/projects/$project/security/audit', label: w.audit, icon: 'report', keys: 'G U' },
    ],
  },
  {
    title: words.project,
    entries: [
      { to: '/projects/$project/activity', label: w.activity, icon: 'activity', keys: 'G A' },
      { to: '/projects/$project/settings', label: w.settings, icon: 'settings', keys: 'G E' },
      { to: '/projects/$project/raw', label: w.raw, icon: 'terminal', keys: 'G R' },
    ],
  },
])
