/** German: the words of all areas. Code loads the area that it needs; this list is so that none is missing. */
import { access } from './de/access.ts'
import { account } from './de/account.ts'
import { actions } from './de/actions.ts'
import { activity } from './de/activity.ts'
import { addresses } from './de/addresses.ts'
import { admin } from './de/admin.ts'
import { balancers } from './de/balancers.ts'
import { certificates } from './de/certificates.ts'
import { commands } from './de/commands.ts'
import { common } from './de/common.ts'
import { errors } from './de/errors.ts'
import { firewallTargets } from './de/firewall-targets.ts'
import { firewalls } from './de/firewalls.ts'
import { forms } from './de/forms.ts'
import { images } from './de/images.ts'
import { keys } from './de/keys.ts'
import { named } from './de/named.ts'
import { names } from './de/names.ts'
import { networks } from './de/networks.ts'
import { newServer } from './de/new-server.ts'
import { overview } from './de/overview.ts'
import { pageStates } from './de/page-states.ts'
import { palette } from './de/palette.ts'
import { paste } from './de/paste.ts'
import { placementGroups } from './de/placement-groups.ts'
import { prices } from './de/prices.ts'
import { projects } from './de/projects.ts'
import { raw } from './de/raw.ts'
import { reach } from './de/reach.ts'
import { resources } from './de/resources.ts'
import { server } from './de/server.ts'
import { serverDialogs } from './de/server-dialogs.ts'
import { serverTabs } from './de/server-tabs.ts'
import { servers } from './de/servers.ts'
import { shell } from './de/shell.ts'
import { sshKeys } from './de/ssh-keys.ts'
import { unsaved } from './de/unsaved.ts'
import { volumes } from './de/volumes.ts'
import { zones } from './de/zones.ts'
import type { Words } from './words.ts'

export const de = {
  access,
  account,
  actions,
  activity,
  admin,
  addresses,
  balancers,
  certificates,
  commands,
  common,
  errors,
  firewalls,
  firewallTargets,
  forms,
  images,
  keys,
  named,
  names,
  networks,
  newServer,
  overview,
  pageStates,
  paste,
  palette,
  placementGroups,
  prices,
  projects,
  raw,
  reach,
  resources,
  server,
  serverDialogs,
  serverTabs,
  servers,
  shell,
  sshKeys,
  unsaved,
  volumes,
  zones,
} satisfies Words
