/** The acts on the servers that are selected; loaded with the first of them. */
import { usePaletteActs } from '../../shell/palette-acts.ts'
import { type PickedAct, PickedBar } from '../../ui/picked-bar.tsx'
import { power, powerReason } from './power.ts'
import type { Server } from './server.ts'
import type { Asked, PowerVerb, ServerActs } from './server-acts.ts'
import { servers as w } from './words.ts'

interface ServerBarProps {
  readonly servers: readonly Server[]
  readonly acts: ServerActs
  readonly onClear: () => void
}

export function ServerBar({ servers, acts, onClear }: ServerBarProps) {
  const { reasons } = acts
  const powerAct = (verb: PowerVerb, icon: 'power' | 'restart' | 'pause'): PickedAct => {
    const why = servers.map((server) => powerReason(acts, verb, server))
    // While one of them can be told this, the result says why the others could not.
    return {
      key: verb,
      label: w.acts[verb],
      icon,
      reason: why.includes(undefined) ? undefined : why[0],
      act: () => power(acts, verb, servers),
    }
  }
  const ask = (kind: Asked['kind'], icon: 'tag' | 'firewall' | 'trash', reason: string | undefined): PickedAct => ({
    key: kind,
    label: w.acts[kind],
    icon,
    isBad: kind === 'delete',
    reason,
    act: () => acts.ask({ kind, servers, done: onClear }),
  })
  const entries = [
    powerAct('powerOn', 'power'),
    powerAct('reboot', 'restart'),
    powerAct('shutDown', 'pause'),
    ask('labels', 'tag', reasons.change),
    ask('firewalls', 'firewall', reasons.firewalls),
    ask('delete', 'trash', reasons.remove),
  ]
  usePaletteActs(() => entries)
  return <PickedBar label={w.selection} count={servers.length} acts={entries} onClear={onClear} />
}
