/** The menu of one server; loaded when one opens. */
import type { Action } from '../../api/actions.ts'
import { copyAway } from '../../ui/copy.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { common as c } from '../../words/common.ts'
import { resources as r } from '../../words/resources.ts'
import { power, powerReason } from './power.ts'
import type { Server } from './server.ts'
import type { PowerVerb, ServerActs } from './server-acts.ts'
import { servers as w } from './words.ts'

export function menuOf(
  acts: Omit<ServerActs, 'menu'>,
  server: Server,
  action: Action | undefined,
  deleted = () => {},
): readonly MenuEntry[] {
  const { reasons } = acts
  const entry = (verb: PowerVerb, icon: 'power' | 'restart'): MenuEntry => ({
    key: verb,
    label: w.acts[verb],
    icon,
    reason: powerReason(acts, verb, server, action),
    onSelect: () => power(acts, verb, [server]),
  })
  return [
    entry(server.status === 'off' ? 'powerOn' : 'shutDown', 'power'),
    entry('reboot', 'restart'),
    entry('powerOff', 'power'),
    entry('reset', 'restart'),
    'line',
    {
      key: 'rename',
      label: r.rename,
      icon: 'settings',
      isEdit: true,
      reason: reasons.change,
      onSelect: () => acts.ask({ kind: 'rename', servers: [server], done: () => {} }),
    },
    {
      key: 'labels',
      label: w.acts.labels,
      icon: 'tag',
      reason: reasons.change,
      onSelect: () => acts.ask({ kind: 'labels', servers: [server], done: () => {} }),
    },
    {
      key: 'protect',
      label: server.protection.delete ? w.acts.unprotect : w.acts.protect,
      icon: 'lock',
      reason: reasons.change,
      onSelect: () => void protect(acts, server),
    },
    {
      key: 'copy',
      label: c.copyId,
      icon: 'copy',
      onSelect: () => copyAway(String(server.id)),
    },
    'line',
    {
      key: 'delete',
      label: w.acts.delete,
      icon: 'trash',
      isBad: true,
      reason: reasons.remove ?? (server.protection.delete ? w.isProtected : undefined),
      onSelect: () => acts.ask({ kind: 'delete', servers: [server], done: deleted }),
    },
  ]
}

/** Protects a server from deletion and rebuild, or takes the protection off. */
function protect({ api, each }: Omit<ServerActs, 'menu'>, server: Server): Promise<void> {
  const isWanted = !server.protection.delete
  const body = { delete: isWanted, rebuild: isWanted }
  return each([server], ({ id }) => api.call('servers_changeProtection', { params: { id }, body }))
}
