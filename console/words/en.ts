/** English: the words of all areas. Code uses the area that it needs; this list is only for types and other languages. */
import { access } from './en/access.ts'
import { account } from './en/account.ts'
import { actions } from './en/actions.ts'
import { activity } from './en/activity.ts'
import { addresses } from './en/addresses.ts'
import { admin } from './en/admin.ts'
import { balancers } from './en/balancers.ts'
import { certificates } from './en/certificates.ts'
import { commands } from './en/commands.ts'
import { common } from './en/common.ts'
import { errors } from './en/errors.ts'
import { firewallTargets } from './en/firewall-targets.ts'
import { firewalls } from './en/firewalls.ts'
import { forms } from './en/forms.ts'
import { images } from './en/images.ts'
import { keys } from './en/keys.ts'
import { named } from './en/named.ts'
import { names } from './en/names.ts'
import { networks } from './en/networks.ts'
import { newServer } from './en/new-server.ts'
import { overview } from './en/overview.ts'
import { pageStates } from './en/page-states.ts'
import { palette } from './en/palette.ts'
import { paste } from './en/paste.ts'
import { placementGroups } from './en/placement-groups.ts'
import { prices } from './en/prices.ts'
import { projects } from './en/projects.ts'
import { raw } from './en/raw.ts'
import { reach } from './en/reach.ts'
import { resources } from './en/resources.ts'
import { server } from './en/server.ts'
import { serverDialogs } from './en/server-dialogs.ts'
import { serverTabs } from './en/server-tabs.ts'
import { servers } from './en/servers.ts'
import { shell } from './en/shell.ts'
import { sshKeys } from './en/ssh-keys.ts'
import { unsaved } from './en/unsaved.ts'
import { volumes } from './en/volumes.ts'
import { zones } from './en/zones.ts'

export const en = {
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
}
