/** The menu of one server; loaded when one opens. */
import type { Action } from '../../api/actions.ts'
import { copyAway } from '../../ui/copy.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import { common } from '../../words/en/common.ts'
import { resources } from '../../words/en/resources.ts'
import { servers as english } from '../../words/en/servers.ts'
import { wordsOf } from '../../words/words.ts'
import type { Cut, PowerVerb, ServerActs } from './acts.tsx'
import type { Server } from './server.ts'

const w = wordsOf('servers', english)
const r = wordsOf('resources', resources)
const c = wordsOf('common', common)

export function menuOf(
  acts: Omit<ServerActs, 'menu'>,
  server: Server,
  action: Action | undefined,
  deleted = () => {},
): readonly MenuEntry[] {
  const { reasons } = acts
  const entry = (
    verb: PowerVerb,
    icon: 'power' | 'restart',
    act: () => void = () => void acts.power(verb, [server]),
  ): MenuEntry => ({
    key: verb,
    label: w.acts[verb],
    icon,
    reason: acts.powerReason(verb, server, action),
    onSelect: act,
  })
  const cut = (verb: Cut, icon: 'power' | 'restart') =>
    entry(verb, icon, () => acts.ask({ kind: verb, servers: [server], done: () => {} }))
  return [
    entry(server.status === 'off' ? 'powerOn' : 'shutDown', 'power'),
    entry('reboot', 'restart'),
    cut('powerOff', 'power'),
    cut('reset', 'restart'),
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
      onSelect: () => void acts.protect(server),
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
