/** Shows where a Load Balancer sends traffic, and how healthy each place is. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
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
import { Check } from '../../ui/check.tsx'
import { Empty } from '../../ui/empty.tsx'
import { TextField } from '../../ui/field.tsx'
import { Link } from '../../ui/link.tsx'
import { Seg } from '../../ui/seg.tsx'
import { State } from '../../ui/state.tsx'
import { Tag } from '../../ui/tag.tsx'
import type { Server } from '../servers/server.ts'
import { type Balancer, type Health, moodOf, type NewTarget, type Target } from './balancer.ts'
import { balancers as w } from './words.ts'

export function TargetsTab({ balancer }: { readonly balancer: Balancer }) {
  const api = useApi()
  const { data: servers } = useSuspenseQuery(api.list('servers_list', {}))
  const mayAdd = useReason('load_balancers_addTarget')
  const mayRemove = useReason('load_balancers_removeTarget')
  const [isAdding, setAdding] = useState(false)
  const [removed, remove] = useState<Target>()
  const { id, targets } = balancer
  const add = (
    <Button look="primary" icon="plus" reason={mayAdd} onClick={() => setAdding(true)}>
      {w.addTarget}
    </Button>
  )
  return (
    <>
      {targets.length === 0 ? (
        <Empty
          title={w.noTargets}
          text={w.noTargetsText}
          action={add}
          command={sh`hcloud load-balancer add-target --label-selector role=web ${id}`}
        />
      ) : (
        <Card title={w.tabs.targets} end={add}>
          <List>
            {targets.map((target) => (
              <Line
                key={keyOf(target)}
                target={target}
                servers={servers}
                reason={mayRemove}
                onRemove={() => remove(target)}
              />
            ))}
          </List>
        </Card>
      )}
      {isAdding && <AddDialog balancer={balancer} servers={servers} onClose={() => setAdding(false)} />}
      {removed && (
        <FormDialog
          title={w.removeTargetTitle(nameOf(removed, servers))}
          text={w.removeTargetText}
          act={w.removeTarget}
          isBad
          request={
            {
              operation: 'load_balancers_removeTarget',
              params: { id },
              body: bare(removed),
            } satisfies ApiRequest<'load_balancers_removeTarget'>
          }
          families={['load_balancers', 'servers']}
          onClose={() => remove(undefined)}
        />
      )}
    </>
  )
}

/** A target as requests name it. */
function bare({ type, server, label_selector, ip }: Target): NewTarget {
  if (type === 'server') return { type, server: { id: server?.id ?? 0 } }
  if (type === 'ip') return { type, ip: { ip: ip?.ip ?? '' } }
  return { type, label_selector: { selector: label_selector?.selector ?? '' } }
}

function keyOf({ server, label_selector, ip }: Target): string {
  return String(server?.id ?? label_selector?.selector ?? ip?.ip)
}

function nameOf(target: Target, servers: readonly Server[]): string {
  const { server } = target
  return (server && servers.find(({ id }) => id === server.id)?.name) ?? keyOf(target)
}

interface LineProps {
  readonly target: Target
  readonly servers: readonly Server[]
  readonly reason: string | undefined
  readonly onRemove: () => void
}

function Line({ target, servers, reason, onRemove }: LineProps) {
  const { server, label_selector, ip, targets = [], health_status = [], use_private_ip: isPrivate } = target
  const name = nameOf(target, servers)
  return (
    <TargetLine
      label={name}
      target={
        <>
          {server && <ServerHealth id={server.id} servers={servers} health={health_status} />}
          {label_selector && (
            <>
              <Tag tip={label_selector.selector}>{label_selector.selector}</Tag>
              <span className="faint">{w.matches(targets.length)}</span>
            </>
          )}
          {ip && (
            <>
              <State mood={moodOf(health_status)}>
                <span className="mono">{ip.ip}</span>
              </State>
              <Checks health={health_status} />
            </>
          )}
          {isPrivate && <Tag>{w.overNetwork}</Tag>}
        </>
      }
      end={
        <Button small look="quiet" icon="x" reason={reason} aria-label={w.removeOne(name)} onClick={onRemove}>
          {w.removeTarget}
        </Button>
      }
    >
      {targets.map((one) => (
        <li key={one.server.id} className="row wrap">
          <ServerHealth id={one.server.id} servers={servers} health={one.health_status} />
        </li>
      ))}
    </TargetLine>
  )
}

interface HealthProps {
  readonly id: number
  readonly servers: readonly Server[]
  readonly health: readonly Health[]
}

function ServerHealth({ id, servers, health }: HealthProps) {
  return (
    <>
      <State mood={moodOf(health)}>
        <Link {...linkTo('servers', 'one', { id })}>{servers.find((one) => one.id === id)?.name ?? id}</Link>
      </State>
      <Checks health={health} />
    </>
  )
}

/** Shows the health of a target by service, with the cause where it is not well. */
function Checks({ health }: { readonly health: readonly Health[] }) {
  return health.map(({ listen_port: port, status, detail, http_status_code: code }) => (
    <span key={port} className="faint">
      {w.check(port, w.statuses[status])}
      {status === 'unhealthy' && detail && ` (${[w.details[detail], code].filter(Boolean).join(' ')})`}
    </span>
  ))
}

type Kind = NewTarget['type']

interface AddProps {
  readonly balancer: Balancer
  readonly servers: readonly Server[]
  readonly onClose: () => void
}

function AddDialog({ balancer, servers, onClose }: AddProps) {
  const [kind, setKind] = useState<Kind>('server')
  const [chosen, choose] = useState<readonly number[]>([])
  const [selector, setSelector] = useState('')
  const [ip, setIp] = useState('')
  const [isPrivate, setPrivate] = useState(balancer.private_net.length > 0)
  const [server] = chosen
  const problem = selectorProblem(selector)
  const taken = new Set(balancer.targets.map((target) => target.server?.id))
  const isReady = {
    server: server !== undefined,
    label_selector: selector.trim() !== '' && !problem,
    ip: ip.trim() !== '',
  }[kind]
  const body: NewTarget = {
    type: kind,
    ...(kind === 'server' && server !== undefined ? { server: { id: server } } : {}),
    ...(kind === 'label_selector' ? { label_selector: { selector: selector.trim() } } : {}),
    ...(kind === 'ip' ? { ip: { ip: ip.trim() } } : { use_private_ip: isPrivate }),
  }
  return (
    <FormDialog
      title={w.addTargetTitle(balancer.name)}
      act={w.addTarget}
      request={
        isReady
          ? ({
              operation: 'load_balancers_addTarget',
              params: { id: balancer.id },
              body,
            } satisfies ApiRequest<'load_balancers_addTarget'>)
          : undefined
      }
      families={['load_balancers', 'servers']}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <Seg
            label={w.kind}
            value={kind}
            options={(['server', 'label_selector', 'ip'] as const).map((value) => ({ value, label: w.kinds[value] }))}
            onChange={setKind}
          />
          {kind === 'server' && (
            <ServerPicker
              isSingle
              servers={servers}
              chosen={chosen}
              onChange={choose}
              problems={problems('server')}
              reasonFor={({ id }) => (taken.has(id) ? w.isTarget : undefined)}
            />
          )}
          {kind === 'label_selector' && (
            <SelectorField value={selector} problem={problem} servers={servers} onChange={setSelector} />
          )}
          {kind === 'ip' && (
            <TextField
              label={w.columns.address}
              isMono
              value={ip}
              hint={w.ipHint}
              problems={problems('ip')}
              onChange={setIp}
            />
          )}
          {kind !== 'ip' && (
            <Check checked={isPrivate} disabled={balancer.private_net.length === 0} onChange={setPrivate}>
              {w.usePrivate}
            </Check>
          )}
        </>
      )}
    </FormDialog>
  )
}
