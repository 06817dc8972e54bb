/** Adding subnets and routes to a network, extending it, and attaching servers. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { typedNumber } from '../../lib/typed-number.ts'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { Elsewhere } from '../../ui/elsewhere.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { resources as r } from '../../words/resources.ts'
import { freeRange, type Member, type Network } from './network.ts'
import { useNetworkZones } from './new.tsx'
import { networks as w } from './words.ts'

type SubnetType = Network['subnets'][number]['type']

export type NetworkDialog = 'subnet' | 'route' | 'extend' | 'attach'

interface NetworkDialogProps {
  readonly network: Network
  readonly onClose: () => void
}

export function NetworkDialogs({ kind, ...props }: NetworkDialogProps & { readonly kind: NetworkDialog | undefined }) {
  if (kind === 'subnet') return <SubnetDialog {...props} />
  if (kind === 'route') return <RouteDialog {...props} />
  if (kind === 'extend') return <ExtendDialog {...props} />
  return kind === 'attach' ? <AttachDialog {...props} /> : null
}

/** The families that a network change outdates. */
const families = ['networks', 'servers']

function SubnetDialog({ network, onClose }: NetworkDialogProps) {
  const zones = useNetworkZones()
  const taken = network.subnets.map((one) => one.ip_range)
  const [range, setRange] = useState(() => freeRange(network.ip_range, taken))
  const [zone, setZone] = useState(network.subnets[0]?.network_zone ?? zones[0] ?? '')
  const [type, setType] = useState<SubnetType>('cloud')
  const [vswitch, setVswitch] = useState('')
  const body = {
    type,
    network_zone: zone,
    ip_range: range.trim(),
    ...(type === 'vswitch' && vswitch.trim() ? { vswitch_id: typedNumber(vswitch) } : {}),
  }
  return (
    <FormDialog
      families={families}
      title={w.addSubnetTo(network.name)}
      act={w.addSubnet}
      request={{ operation: 'networks_addSubnet', params: { id: network.id }, body }}
      isReady={range.trim() !== '' && (type !== 'vswitch' || vswitch.trim() !== '')}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <SelectField
            label={w.subnetType}
            value={type}
            options={(['cloud', 'vswitch'] as const).map((value) => ({ value, label: w.subnetTypes[value] }))}
            onChange={setType}
          />
          {type === 'vswitch' && (
            <TextField
              label={w.vswitch}
              hint={w.vswitchHint}
              inputMode="numeric"
              value={vswitch}
              onChange={setVswitch}
              problems={problems('vswitch_id')}
            />
          )}
          <TextField
            label={w.subnetRange}
            hint={w.within(network.ip_range)}
            isMono
            value={range}
            onChange={setRange}
            problems={problems('ip_range')}
          />
          <SelectField
            label={w.zone}
            hint={w.zoneHint}
            value={zone}
            options={zones.map((value) => ({ value, label: value }))}
            onChange={setZone}
            problems={problems('network_zone')}
          />
        </>
      )}
    </FormDialog>
  )
}

function RouteDialog({ network, onClose }: NetworkDialogProps) {
  const [destination, setDestination] = useState('')
  const [gateway, setGateway] = useState('')
  const body = { destination: destination.trim(), gateway: gateway.trim() }
  return (
    <FormDialog
      families={families}
      title={w.addRouteTo(network.name)}
      act={w.addRoute}
      request={{ operation: 'networks_addRoute', params: { id: network.id }, body }}
      isReady={body.destination !== '' && body.gateway !== ''}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <TextField
            label={w.destination}
            hint={w.destinationHint}
            isMono
            placeholder="10.100.0.0/16"
            value={destination}
            onChange={setDestination}
            problems={problems('destination')}
          />
          <TextField
            label={w.gateway}
            hint={w.gatewayHint}
            isMono
            value={gateway}
            onChange={setGateway}
            problems={problems('gateway')}
          />
        </>
      )}
    </FormDialog>
  )
}

function ExtendDialog({ network, onClose }: NetworkDialogProps) {
  const [range, setRange] = useState(network.ip_range)
  return (
    <FormDialog
      families={families}
      title={w.extendTitle(network.name)}
      act={w.extend}
      request={{ operation: 'networks_changeIpRange', params: { id: network.id }, body: { ip_range: range.trim() } }}
      isReady={range.trim() !== network.ip_range}
      onClose={onClose}
    >
      {(problems) => (
        <TextField
          label={w.range}
          hint={w.extendHint}
          isMono
          value={range}
          onChange={setRange}
          problems={problems('ip_range')}
        />
      )}
    </FormDialog>
  )
}

function AttachDialog({ network, onClose }: NetworkDialogProps) {
  const api = useApi()
  const { data: servers } = useSuspenseQuery(api.list('servers_list', {}))
  const [server, setServer] = useState('')
  const [ip, setIp] = useState('')
  const free = servers.filter(({ id }) => !network.servers.includes(id))
  const body = { network: network.id, ...(ip.trim() ? { ip: ip.trim() } : {}) }
  return (
    <FormDialog
      families={families}
      title={w.attachTo(network.name)}
      act={w.attach}
      request={{ operation: 'networks_attachToNetwork', params: { id: Number(server) }, body }}
      isReady={server !== ''}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <SelectField
            label={r.server}
            value={server}
            options={[
              { value: '', label: w.chooseServer },
              ...free.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            onChange={setServer}
          />
          <TextField
            label={w.address}
            hint={w.addressHint}
            isMono
            value={ip}
            onChange={setIp}
            problems={problems('ip')}
          />
        </>
      )}
    </FormDialog>
  )
}

interface AliasProps extends NetworkDialogProps {
  readonly member: Member
  readonly name: string
}

/** The further addresses of a server in the network. */
export function AliasDialog({ network, member: { id, alias_ips }, name, onClose }: AliasProps) {
  const draft = useDraft({ text: alias_ips.join(', ') })
  const addresses = draft.value.text.split(/[\s,;]+/).filter(Boolean)
  return (
    <FormDialog
      families={families}
      title={w.aliasTitle(name)}
      act={w.setAliases}
      request={{
        operation: 'networks_changeAliasIps',
        params: { id },
        body: { network: network.id, alias_ips: addresses },
      }}
      isReady={draft.isDirty}
      isDirty={draft.isDirty}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <TextField
            label={w.aliases}
            hint={w.aliasHint}
            isMono
            value={draft.value.text}
            onChange={(text) => draft.change({ text })}
            problems={problems('alias_ips')}
          />
          <Elsewhere {...draft} />
        </>
      )}
    </FormDialog>
  )
}
