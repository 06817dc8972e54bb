/** The dialogs of Floating IPs and Primary IPs: create, assign, unassign, reverse names. */

import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { parseAddress } from '../../../src/protocols/net/ip.ts'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { aMonth } from '../../lib/money.ts'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { ServerPicker } from '../../pages/shared/server-picker.tsx'
import { useCurrent } from '../../pages/shared/use-current.ts'
import { Check } from '../../ui/check.tsx'
import { DeletedElsewhere, Elsewhere } from '../../ui/elsewhere.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { Note } from '../../ui/note.tsx'
import { Seg } from '../../ui/seg.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import type { ProblemsOf } from '../../ui/use-submit.ts'
import { common as c } from '../../words/common.ts'
import { linesOfAddress as linesOfFloating } from '../floating-ips/prices.ts'
import { linesOfAddress as linesOfPrimary } from '../primary-ips/prices.ts'
import { isAt, type Server } from '../servers/server.ts'
import type { Address, AddressFamily, Asked, FloatingIp } from './address.ts'
import { addresses as w } from './words.ts'

interface DialogsProps {
  readonly family: AddressFamily
  readonly asked: Asked
  readonly servers: readonly Server[]
  readonly onClose: () => void
}

export function AddressDialogs({ family, asked, servers, onClose }: DialogsProps) {
  if (asked.kind === 'create') return <CreateDialog family={family} servers={servers} onClose={onClose} />
  const { address } = asked
  if (asked.kind === 'assign') return <AssignDialog address={address} servers={servers} onClose={onClose} />
  if (asked.kind === 'names') return <NamesDialog address={address} onClose={onClose} />
  return <UnassignDialog address={address} servers={servers} onClose={onClose} />
}

interface OneProps {
  readonly address: Address
  readonly onClose: () => void
}

/** Returns why a Primary IP cannot be given to a server: it must be off, there, and without one. */
function primaryObstacle(server: Server, type: 'ipv4' | 'ipv6', location: string | undefined): string | undefined {
  if (location && isAt(server) !== location) return w.elsewhere(isAt(server))
  if (server.public_net[type]) return w.hasOne[type]
  return server.status === 'off' ? undefined : w.mustBeOff
}

function AssignDialog({ address, servers, onClose }: OneProps & { readonly servers: readonly Server[] }) {
  const [chosen, choose] = useState<readonly number[]>([])
  const { family, id, name, type, location, server: current } = address
  const [server] = chosen
  const request =
    server === undefined
      ? undefined
      : family === 'floating_ips'
        ? ({ operation: 'floating_ips_assign', params: { id }, body: { server } } as const)
        : ({
            operation: 'primary_ips_assign',
            params: { id },
            body: { assignee_id: server, assignee_type: 'server' },
          } as const)
  return (
    <FormDialog
      title={w.assignTitle(name)}
      text={family === 'primary_ips' ? w.assignPrimaryText : w.assignFloatingText}
      act={current === null ? w.assign : w.move}
      request={request as ApiRequest<`${AddressFamily}_assign`> | undefined}
      families={[family, 'servers']}
      onClose={onClose}
    >
      <ServerPicker
        isSingle
        servers={servers}
        chosen={chosen}
        onChange={choose}
        reasonFor={(one) => {
          if (one.id === current) return w.isHere
          return family === 'primary_ips' ? primaryObstacle(one, type, location) : undefined
        }}
      />
    </FormDialog>
  )
}

function UnassignDialog({ address, servers, onClose }: OneProps & { readonly servers: readonly Server[] }) {
  const { family, id, name, server } = address
  const of = servers.find((one) => one.id === server)
  return (
    <FormDialog
      title={w.unassignTitle(name, of?.name ?? '')}
      text={w.unassignText}
      act={w.unassign}
      isBad
      request={{ operation: `${family}_unassign`, params: { id } } as ApiRequest<`${AddressFamily}_unassign`>}
      reason={family === 'primary_ips' && of && of.status !== 'off' ? w.mustBeOff : undefined}
      families={[family, 'servers']}
      onClose={onClose}
    />
  )
}

/** Holds which address of a network has a name or gets one; an IPv4 address has no others. */
function useWhich({ type, ip }: Address, names: Address['dnsPtr']) {
  const [first] = names
  const [chosen, choose] = useState(type === 'ipv4' ? ip : (first?.ip ?? ''))
  const [typed, change] = useState(ip.replace(/\/\d+$/, '1'))
  const asked = chosen === '' ? typed.trim() : chosen
  const own = names.find((one) => one.ip === canonical(asked))
  return { chosen, choose, typed, change, which: own?.ip ?? asked, name: own?.dns_ptr ?? '', isNamed: Boolean(own) }
}

function canonical(text: string): string {
  const parsed = parseAddress(text)
  return parsed.ok ? parsed.address : text
}

function NamesDialog({ address, onClose }: OneProps) {
  const { family, id, type, ip } = address
  const { current, isGone } = useCurrent(family, address)
  const names = (current as Partial<FloatingIp>).dns_ptr ?? address.dnsPtr
  const { chosen, choose, typed, change, which, name: known, isNamed } = useWhich(address, names)
  // Addresses without a name share one draft: they have nothing that it could overwrite.
  const draft = useDraft({ name: known }, chosen === '' && !isNamed ? '' : which)
  const name = draft.value.name.trim()
  const request = {
    operation: `${family}_changeDnsPtr`,
    params: { id },
    body: { ip: which, dns_ptr: name === '' ? null : name },
  } as ApiRequest<`${AddressFamily}_changeDnsPtr`>
  const options = [...new Set([...names.map((one) => one.ip), ...(chosen === '' ? [] : [chosen])])]
  return (
    <FormDialog
      title={w.namesTitle(ip)}
      text={w.namesText}
      act={name === '' ? w.resetName : w.setName}
      request={which === '' ? undefined : request}
      isDirty={draft.isDirty}
      families={[family, 'servers', 'load_balancers']}
      onClose={onClose}
    >
      {(problems) => (
        <>
          {type === 'ipv6' && options.length > 0 && (
            <SelectField
              label={w.columns.ip}
              value={chosen}
              options={[...options.map((one) => ({ value: one, label: one })), { value: '', label: w.otherAddress }]}
              problems={chosen === '' ? undefined : problems('ip')}
              onChange={choose}
            />
          )}
          {chosen === '' && (
            <TextField
              label={options.length > 0 ? w.otherAddress : w.columns.ip}
              hint={w.addressHint(ip)}
              isMono
              value={typed}
              problems={problems('ip')}
              onChange={change}
            />
          )}
          <TextField
            label={w.hostName}
            isMono
            value={draft.value.name}
            placeholder="www.example.com"
            hint={w.hostNameHint}
            problems={problems('dns_ptr')}
            onChange={(name) => draft.change({ name })}
          />
          <Elsewhere {...draft} />
          {isGone && <DeletedElsewhere />}
        </>
      )}
    </FormDialog>
  )
}

// ---- Create ----------------------------------------------------------------------------------------------------------

interface CreateProps {
  readonly family: AddressFamily
  readonly servers: readonly Server[]
  readonly onClose: () => void
}

type Where = 'location' | 'server'

interface Draft {
  readonly type: 'ipv4' | 'ipv6'
  readonly where: Where
  readonly location: string
  readonly chosen: readonly number[]
  readonly name: string
  readonly labels: LabelMap
  readonly autoDelete: boolean
}

/** `server` is that which gets the address, where one is to. */
function createRequest(family: AddressFamily, draft: Draft, server: number | undefined) {
  const { type, where, location, name, labels, autoDelete } = draft
  const shared = {
    type,
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}),
  }
  const place =
    family === 'primary_ips'
      ? {
          ...(where === 'server' ? { assignee_id: server, assignee_type: 'server' } : { location }),
          auto_delete: autoDelete,
        }
      : where === 'server'
        ? { server }
        : { home_location: location }
  return { operation: `${family}_create`, body: { ...shared, ...place } } as ApiRequest<`${AddressFamily}_create`>
}

function CreateDialog({ family, servers, onClose }: CreateProps) {
  const { data: locations } = useSuspenseQuery(useApi().list('locations_list', {}))
  const [typed, setDraft] = useState<Draft>({
    type: 'ipv4',
    where: 'location',
    location: locations[0]?.name ?? '',
    chosen: [],
    name: '',
    labels: {},
    autoDelete: false,
  })
  const change = (part: Partial<Draft>) => setDraft((old) => ({ ...old, ...part }))
  // Servers may be deleted elsewhere while this is open.
  const draft = servers.length > 0 ? typed : { ...typed, where: 'location' as const }
  const { type, where, location, name, labels, autoDelete } = draft
  const server = draft.chosen.find((id) => servers.some((one) => one.id === id))
  const isPrimary = family === 'primary_ips'
  const isReady = (where === 'location' || server !== undefined) && (!isPrimary || name.trim() !== '')
  const at = where === 'location' ? location : isAt(servers.find(({ id }) => id === server) ?? servers[0]!)
  return (
    <FormDialog
      title={w[family].create}
      text={<Cost family={family} type={type} location={at} />}
      act={w[family].create}
      request={isReady ? createRequest(family, draft, server) : undefined}
      families={[family, 'servers']}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <Seg label={w.version} value={type} options={versions} onChange={(type) => change({ type })} />
          <TextField
            label={c.name}
            value={name}
            maxLength={128}
            problems={problems('name')}
            onChange={(name) => change({ name })}
          />
          <PlaceFields {...{ family, servers, draft, change, problems }} />
          {isPrimary && (
            <Check checked={autoDelete} onChange={(autoDelete) => change({ autoDelete })}>
              {w.autoDelete}
            </Check>
          )}
          <LabelsField value={labels} onChange={(labels) => change({ labels })} problems={problems('labels')} />
          {type === 'ipv6' && <Note>{w.ipv6Note}</Note>}
        </>
      )}
    </FormDialog>
  )
}

const versions = [
  { value: 'ipv4', label: 'IPv4' },
  { value: 'ipv6', label: 'IPv6' },
] as const
const wheres = [
  { value: 'location', label: w.inLocation },
  { value: 'server', label: w.forServer },
] as const

interface PlaceProps extends Pick<CreateProps, 'family' | 'servers'> {
  readonly draft: Draft
  readonly change: (part: Partial<Draft>) => void
  readonly problems: ProblemsOf
}

function PlaceFields({ family, servers, draft: { type, where, location, chosen }, change, problems }: PlaceProps) {
  const { data: locations } = useSuspenseQuery(useApi().list('locations_list', {}))
  return (
    <>
      {servers.length > 0 && (
        <Seg label={w.where} value={where} options={wheres} onChange={(where) => change({ where })} />
      )}
      {where === 'location' ? (
        <SelectField
          label={w.columns.location}
          value={location}
          options={locations.map((one) => ({ value: one.name, label: `${one.name} · ${one.city}` }))}
          problems={problems('location') ?? problems('home_location')}
          onChange={(location) => change({ location })}
        />
      ) : (
        <ServerPicker
          isSingle
          servers={servers}
          chosen={chosen}
          onChange={(chosen) => change({ chosen })}
          problems={problems('server') ?? problems('assignee_id')}
          reasonFor={(one) => (family === 'primary_ips' ? primaryObstacle(one, type, undefined) : undefined)}
        />
      )}
    </>
  )
}

interface CostProps {
  readonly family: AddressFamily
  readonly type: 'ipv4' | 'ipv6'
  readonly location: string
}

function Cost({ family, type, location }: CostProps) {
  const api = useApi()
  const { data } = useSuspenseQuery(api.query('pricing_get', {}))
  const { pricing } = data
  const linesOf = family === 'primary_ips' ? linesOfPrimary : linesOfFloating
  const [line] = linesOf(type, location, pricing)
  return line ? w.costs(aMonth(line.monthly, pricing.currency)) : w.noPrice
}
