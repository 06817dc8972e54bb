/** Shows what a firewall is applied to: servers by themselves, and selectors with the servers that they match now. */

import { useState } from 'react'
import type { ApiRequest } from '../../api/operations.ts'
import { sh } from '../../commands/shell.ts'
import { linkTo } from '../../families.ts'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { SelectorField, selectorProblem } from '../../pages/shared/selector-field.tsx'
import { ServerPicker } from '../../pages/shared/server-picker.tsx'
import { TargetLine } from '../../pages/shared/target-line.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Link } from '../../ui/link.tsx'
import { Seg } from '../../ui/seg.tsx'
import { State } from '../../ui/state.tsx'
import { Tag } from '../../ui/tag.tsx'
import type { Server } from '../servers/server.ts'
import type { Firewall, Target } from './firewall.ts'
import { firewallTargets as t } from './targets.words.ts'
import { firewalls as w } from './words.ts'

interface ResourcesProps {
  readonly firewall: Firewall
  readonly servers: readonly Server[]
}

export function ResourcesTab({ firewall, servers }: ResourcesProps) {
  const mayApply = useReason('firewalls_applyToResources')
  const mayRemove = useReason('firewalls_removeFromResources')
  const [isAdding, setAdding] = useState(false)
  const [removed, remove] = useState<Target>()
  const apply = (
    <Button look="primary" icon="plus" reason={mayApply} onClick={() => setAdding(true)}>
      {t.applyTo}
    </Button>
  )
  return (
    <>
      {firewall.applied_to.length === 0 ? (
        <Empty
          title={t.appliedNowhereTitle}
          text={t.appliedNowhereText}
          action={apply}
          command={sh`hcloud firewall apply-to-resource --type label_selector --label-selector role=web ${firewall.id}`}
        />
      ) : (
        <Card title={w.tabs.resources} end={apply}>
          <List>
            {firewall.applied_to.map((target) => (
              <Line
                key={target.server?.id ?? target.label_selector?.selector}
                target={target}
                servers={servers}
                reason={mayRemove}
                onRemove={() => remove(target)}
              />
            ))}
          </List>
        </Card>
      )}
      {isAdding && <ApplyDialog firewall={firewall} servers={servers} onClose={() => setAdding(false)} />}
      {removed && (
        <FormDialog
          title={t.removeTitle(nameOf(removed, servers), firewall.name)}
          text={t.removeText}
          act={t.removeAct}
          isBad
          request={
            {
              operation: 'firewalls_removeFromResources',
              params: { id: firewall.id },
              body: { remove_from: [bare(removed)] },
            } satisfies ApiRequest<'firewalls_removeFromResources'>
          }
          families={['firewalls', 'servers']}
          onClose={() => remove(undefined)}
        />
      )}
    </>
  )
}

/** A target as requests name it. */
function bare({ type, server, label_selector }: Target): Target {
  return type === 'server'
    ? { type, ...(server ? { server: { id: server.id } } : {}) }
    : { type, ...(label_selector ? { label_selector: { selector: label_selector.selector } } : {}) }
}

function nameOf({ server, label_selector }: Target, servers: readonly Server[]): string {
  if (!server) return label_selector?.selector ?? ''
  return servers.find(({ id }) => id === server.id)?.name ?? String(server.id)
}

interface LineProps {
  readonly target: Target
  readonly servers: readonly Server[]
  readonly reason: string | undefined
  readonly onRemove: () => void
}

function Line({ target, servers, reason, onRemove }: LineProps) {
  const { server, label_selector, applied_to_resources: matches = [] } = target
  const name = nameOf(target, servers)
  return (
    <TargetLine
      label={name}
      target={
        <>
          {server && <ServerState id={server.id} servers={servers} />}
          {label_selector && (
            <>
              <Tag tip={label_selector.selector}>{label_selector.selector}</Tag>
              <span className="faint">{t.matchesNow(matches.length)}</span>
            </>
          )}
        </>
      }
      end={
        <Button small look="quiet" icon="x" reason={reason} aria-label={t.removeFrom(name)} onClick={onRemove}>
          {t.removeAct}
        </Button>
      }
    >
      {matches.map((one) => (
        <li key={one.server.id} className="row">
          <ServerState id={one.server.id} servers={servers} />
        </li>
      ))}
    </TargetLine>
  )
}

/** A server with the state of the packet filter on it. */
function ServerState({ id, servers }: { readonly id: number; readonly servers: readonly Server[] }) {
  const server = servers.find((one) => one.id === id)
  const isPending = server?.public_net.firewalls.some(({ status }) => status === 'pending') ?? false
  return (
    <State mood={isPending ? 'busy' : 'ok'}>
      <Link {...linkTo('servers', 'one', { id })}>{server?.name ?? id}</Link>
      {isPending && <span className="faint">{t.pending}</span>}
    </State>
  )
}

type Kind = Target['type']

interface ApplyProps extends ResourcesProps {
  readonly onClose: () => void
}

function ApplyDialog({ firewall, servers, onClose }: ApplyProps) {
  const [kind, setKind] = useState<Kind>('server')
  const [chosen, choose] = useState<readonly number[]>([])
  const [selector, setSelector] = useState('')
  const free = servers.filter(({ id }) => !firewall.applied_to.some(({ server }) => server?.id === id))
  const problem = selectorProblem(selector)
  const targets: Target[] =
    kind === 'server'
      ? chosen.map((id) => ({ type: 'server', server: { id } }))
      : [{ type: 'label_selector', label_selector: { selector: selector.trim() } }]
  const isReady = kind === 'server' ? chosen.length > 0 : selector.trim() !== '' && !problem
  return (
    <FormDialog
      title={t.applyTitle(firewall.name)}
      act={kind === 'server' ? t.applyServers(Math.max(1, chosen.length)) : t.applySelector}
      request={
        isReady
          ? ({
              operation: 'firewalls_applyToResources',
              params: { id: firewall.id },
              body: { apply_to: targets },
            } satisfies ApiRequest<'firewalls_applyToResources'>)
          : undefined
      }
      families={['firewalls', 'servers']}
      onClose={onClose}
    >
      <Seg
        label={t.kind}
        value={kind}
        options={[
          { value: 'server', label: t.kinds.server },
          { value: 'label_selector', label: t.kinds.label_selector },
        ]}
        onChange={setKind}
      />
      {kind === 'server' ? (
        <ServerPicker servers={free} chosen={chosen} onChange={choose} />
      ) : (
        <SelectorField value={selector} problem={problem} servers={servers} onChange={setSelector} />
      )}
    </FormDialog>
  )
}
