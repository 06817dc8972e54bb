/** One network: a picture of it, its subnets and routes, and what is in it. */
import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { linkTo } from '../../families.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { Protected, ServerLink } from '../../pages/shared/cells.tsx'
import { ConfirmRequest } from '../../pages/shared/confirm-request.tsx'
import { perform } from '../../pages/shared/submit.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { GoneNote, useOne } from '../../shell/gone.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts, List } from '../../ui/card.tsx'
import { Check } from '../../ui/check.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { useGo } from '../../ui/link.tsx'
import { DotsMenu } from '../../ui/menu.tsx'
import { Columns, PageHead } from '../../ui/page.tsx'
import { State } from '../../ui/state.tsx'
import { Labels } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { resources as r } from '../../words/resources.ts'
import { AliasDialog, type NetworkDialog, NetworkDialogs } from './dialogs.tsx'
import { entry } from './entry.ts'
import { type Member, type Network, networkActs, sizeOf } from './network.ts'
import { Topology } from './topology.tsx'
import { networks as w } from './words.ts'

/** Something of the network that is about to be removed. */
interface Removal {
  readonly title: string
  readonly text: string
  readonly act: string
  readonly request: ApiRequest
}

interface PartProps {
  readonly network: Network
  readonly open: (kind: NetworkDialog) => void
  readonly remove: (removal: Removal) => void
}

export function NetworkPage() {
  const api = useApi()
  const go = useGo()
  const id = Number(entry.routes.one.useParams().id)
  const { data, isGone } = useOne(api.query('networks_get', { params: { id } }))
  const { network } = data
  const { data: members = [] } = useQuery(api.list('networks_listMembers', { params: { id } }))
  const { data: servers = [] } = useQuery(api.list('servers_list', {}))
  const names = new Map(servers.map((one) => [one.id, one.name]))
  const nameOf = (member: Member) => (member.type === 'server' ? names.get(member.id) : undefined) ?? `#${member.id}`
  const [kind, open] = useState<NetworkDialog>()
  const [removal, remove] = useState<Removal>()
  const list = linkTo('networks', 'list')
  const acts = useResourceActs(networkActs, () => void go(list))
  const mayAttach = useReason('networks_attachToNetwork')
  const part = { network, open, remove }
  return (
    <>
      <PageHead
        title={network.name}
        crumbs={[{ label: w.title, link: list }]}
        facts={
          <>
            <span className="mono">{network.ip_range}</span>
            <span>{w.memberCount(members.length)}</span>
            {network.protection.delete && <Protected />}
            <Copyable text={String(network.id)} label={c.copyId} />
          </>
        }
        actions={
          <>
            <CommandsButton requests={commandsFor(network)} />
            <Button look="primary" icon="plus" reason={mayAttach} onClick={() => open('attach')}>
              {w.attach}
            </Button>
            <DotsMenu small={false} label={c.actionsFor(network.name)} entries={() => acts.menu(network)} />
          </>
        }
      />
      {isGone && <GoneNote name={network.name} back={{ label: w.title, link: list }} />}
      <Columns label={r.summary} aside={<Aside {...part} />}>
        <Card title={w.topology} padded>
          <Topology network={network} members={members} nameOf={nameOf} />
        </Card>
        <Subnets {...part} />
        <Members {...part} members={members} nameOf={nameOf} />
      </Columns>
      <Suspense>
        <NetworkDialogs kind={kind} network={network} onClose={() => open(undefined)} />
      </Suspense>
      {removal && <ConfirmRequest {...removal} families={['networks', 'servers']} onClose={() => remove(undefined)} />}
      {acts.dialogs}
    </>
  )
}

function commandsFor({ id }: Network) {
  const params = { id }
  const subnet = { type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.1.0/24' } as const
  const route = { destination: '10.100.0.0/16', gateway: '10.0.1.2' }
  return [
    { label: w.show, request: { operation: 'networks_get', params } },
    { label: w.addSubnet, request: { operation: 'networks_addSubnet', params, body: subnet } },
    { label: w.addRoute, request: { operation: 'networks_addRoute', params, body: route } },
    { label: w.attach, request: { operation: 'networks_attachToNetwork', params: { id: 1 }, body: { network: id } } },
  ] as const
}

function Subnets({ network, open, remove }: PartProps) {
  const mayRemove = useReason('networks_deleteSubnet')
  const mayAdd = useReason('networks_addSubnet')
  const params = { id: network.id }
  return (
    <Card
      title={w.subnets}
      end={
        <Button small icon="plus" reason={mayAdd} onClick={() => open('subnet')}>
          {w.addSubnet}
        </Button>
      }
    >
      {network.subnets.length === 0 && <p className="row faint">{w.noSubnets}</p>}
      <List>
        {network.subnets.map(({ ip_range: range, network_zone: zone, gateway, type, vswitch_id: vswitch }) => (
          <li key={range}>
            <span>
              <span className="mono">{range}</span>
              <small>{w.subnetFacts(number(sizeOf(range)), gateway)}</small>
            </span>
            <span className="end row">
              {type === 'cloud' ? zone : `${w.subnetTypes[type]}${vswitch ? ` ${vswitch}` : ''} · ${zone}`}
              <Button
                look="quiet"
                icon="trash"
                small
                aria-label={w.removeSubnet(range)}
                reason={mayRemove}
                onClick={() =>
                  remove({
                    title: r.deleteTitle(range),
                    text: w.removeSubnetText,
                    act: w.removeSubnetAct,
                    request: { operation: 'networks_deleteSubnet', params, body: { ip_range: range } },
                  })
                }
              />
            </span>
          </li>
        ))}
      </List>
    </Card>
  )
}

interface MembersProps extends PartProps {
  readonly members: readonly Member[]
  readonly nameOf: (member: Member) => string
}

function Members({ network, members, nameOf, remove }: MembersProps) {
  const mayDetach = useReason('networks_detachFromNetwork')
  const mayAlias = useReason('networks_changeAliasIps')
  const [named, openFor] = useState<number>()
  const member = members.find(({ id, type }) => type === 'server' && id === named)
  return (
    <Card title={w.members}>
      {members.length === 0 && <p className="row faint">{w.noMembers}</p>}
      <List>
        {members.map((member) => (
          <li key={`${member.type}${member.id}`}>
            <State mood={member.status === 'ok' ? 'ok' : member.status === 'error' ? 'bad' : 'busy'}>
              {member.type === 'server' ? <ServerLink id={member.id} name={nameOf(member)} /> : w.balancer(member.id)}
            </State>
            <span className="end row">
              <span className="mono">{[member.ip, ...member.alias_ips].join(', ')}</span>
              {member.type === 'server' && (
                <Button
                  small
                  reason={mayAlias}
                  aria-label={w.aliasTitle(nameOf(member))}
                  onClick={() => openFor(member.id)}
                >
                  {w.aliases}
                </Button>
              )}
              {member.type === 'server' && (
                <Button
                  look="quiet"
                  icon="x"
                  small
                  aria-label={w.detachName(nameOf(member))}
                  reason={mayDetach}
                  onClick={() =>
                    remove({
                      title: w.detachTitle(nameOf(member), network.name),
                      text: w.detachText(member.ip),
                      act: w.detach,
                      request: {
                        operation: 'networks_detachFromNetwork',
                        params: { id: member.id },
                        body: { network: network.id },
                      },
                    })
                  }
                />
              )}
            </span>
          </li>
        ))}
      </List>
      {member && <AliasDialog {...{ network, member }} name={nameOf(member)} onClose={() => openFor(undefined)} />}
    </Card>
  )
}

/** Switches whether servers behind a vSwitch learn the routes of the network. */
function VswitchRoutes({ network, remove }: Pick<PartProps, 'network' | 'remove'>) {
  const { id, name, expose_routes_to_vswitch: isOn } = network
  const api = useApi()
  const update = useSubmit()
  const outdate = useOutdate()
  const reason = useReason('networks_update')
  const requestFor = (on: boolean) =>
    ({ operation: 'networks_update', params: { id }, body: { expose_routes_to_vswitch: on } }) as const
  const change = (on: boolean) => {
    if (!on) return remove({ title: w.hideTitle(name), text: w.hideText, act: w.hide, request: requestFor(false) })
    void update.run(async () => {
      await perform(api, requestFor(true))
      await outdate('networks')
    })
  }
  return (
    <>
      <Check
        kind="switch"
        checked={isOn}
        disabled={reason !== undefined}
        aside={reason ?? w.exposeText}
        onChange={change}
      >
        {w.expose}
      </Check>
      {update.cause !== undefined && <FailureNote cause={update.cause} />}
    </>
  )
}

function Aside({ network, open, remove }: PartProps) {
  const mayRemove = useReason('networks_deleteRoute')
  const mayAdd = useReason('networks_addRoute')
  const mayExtend = useReason('networks_changeIpRange')
  const params = { id: network.id }
  return (
    <>
      <Card
        title={w.routes}
        end={
          <Button small icon="plus" reason={mayAdd} onClick={() => open('route')}>
            {w.addRoute}
          </Button>
        }
        footer={
          <div className="stack">
            {w.routesText}
            <VswitchRoutes network={network} remove={remove} />
          </div>
        }
      >
        <List>
          {network.routes.map(({ destination, gateway }) => (
            <li key={destination}>
              <span>
                <span className="mono">{destination}</span>
                <small>{w.via(gateway)}</small>
              </span>
              <span className="end">
                <Button
                  look="quiet"
                  icon="trash"
                  small
                  aria-label={w.removeRoute(destination)}
                  reason={mayRemove}
                  onClick={() =>
                    remove({
                      title: r.deleteTitle(destination),
                      text: w.removeRouteText,
                      act: w.removeRouteAct,
                      request: { operation: 'networks_deleteRoute', params, body: { destination, gateway } },
                    })
                  }
                />
              </span>
            </li>
          ))}
        </List>
      </Card>
      <Card title={c.details} padded>
        <Facts
          rows={[
            [w.range, <Copyable key="range" text={network.ip_range} />],
            [w.size, w.addresses(number(sizeOf(network.ip_range)))],
            [r.created, <Ago key="created" time={network.created} />],
            [c.labels, <Labels key="labels" labels={network.labels} />],
          ]}
        />
        <div>
          <Button small reason={mayExtend} onClick={() => open('extend')}>
            {w.extend}
          </Button>
        </div>
      </Card>
    </>
  )
}
