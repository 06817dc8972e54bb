/** Adding subnets and routes to a network, extending it, and attaching servers. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { networks as english } from '../../words/en/networks.ts'
import { resources } from '../../words/en/resources.ts'
import { wordsOf } from '../../words/words.ts'
import { FormDialog } from '../shared/form-dialog.tsx'
import { freeRange, type Network } from './network.ts'
import { useNetworkZones } from './new.tsx'

const w = wordsOf('networks', english)
const r = wordsOf('resources', resources)

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

/** What a change of a network outdates. */
const families = ['networks', 'servers']

function SubnetDialog({ network, onClose }: NetworkDialogProps) {
  const zones = useNetworkZones()
  const taken = network.subnets.map((one) => one.ip_range)
  const [range, setRange] = useState(() => freeRange(network.ip_range, taken))
  const [zone, setZone] = useState(network.subnets[0]?.network_zone ?? zones[0] ?? '')
  const body = { type: 'cloud', network_zone: zone, ip_range: range.trim() } as const
  return (
    <FormDialog
      families={families}
      title={w.addSubnetTo(network.name)}
      act={w.addSubnet}
      request={{ operation: 'networks_addSubnet', params: { id: network.id }, body }}
      isReady={range.trim() !== ''}
      fields={['ip_range', 'network_zone']}
      onClose={onClose}
    >
      {(problems) => (
        <>
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
      fields={['destination', 'gateway']}
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
      fields={['ip_range']}
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
      fields={['ip']}
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
