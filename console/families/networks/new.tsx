/** Creating a network with its first subnet. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { linkTo } from '../../families.ts'
import { nextName } from '../../lib/names.ts'
import { FormPage } from '../../pages/shared/form-page.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { useReason } from '../../shell/may.ts'
import { Check } from '../../ui/check.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { useGo } from '../../ui/link.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { freeRange, sizeOf } from './network.ts'
import { networks as w } from './words.ts'

const rangeForm = /^(\d{1,3}\.){3}\d{1,3}\/\d{1,2}$/

/** The zones that subnets can be in, from the locations. */
export function useNetworkZones(): readonly string[] {
  const api = useApi()
  const { data: locations } = useSuspenseQuery(api.list('locations_list', {}))
  return [...new Set(locations.map(({ network_zone: zone }) => zone))]
}

export function NewNetworkPage() {
  const api = useApi()
  const go = useGo()
  const zones = useNetworkZones()
  const { data: networks } = useSuspenseQuery(api.list('networks_list', {}))
  const [name, setName] = useState(() =>
    nextName(
      networks.map((one) => one.name),
      'internal',
    ),
  )
  const [range, setRange] = useState('10.0.0.0/16')
  const [hasSubnet, withSubnet] = useState(true)
  const [subnet, setSubnet] = useState<string>()
  const [zone, setZone] = useState(zones[0] ?? '')
  const [labels, setLabels] = useState<LabelMap>({})
  const isRange = rangeForm.test(range)
  const subnetRange = subnet ?? (isRange ? freeRange(range, []) : '')
  const request: ApiRequest<'networks_create'> = {
    operation: 'networks_create',
    body: {
      name,
      ip_range: range.trim(),
      ...(hasSubnet ? { subnets: [{ type: 'cloud', network_zone: zone, ip_range: subnetRange }] } : {}),
      ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}),
    },
  }
  const form = useRequest({
    request,
    families: ['networks'],
    done: ({ network }) => go(linkTo('networks', 'one', { id: network.id })),
  })
  const list = linkTo('networks', 'list')
  return (
    <FormPage
      title={w.create}
      crumbs={[{ label: w.title, link: list }]}
      form={form}
      act={w.create}
      reason={useReason('networks_create')}
      isReady={name !== '' && range !== ''}
      cancel={list}
      request={request}
      aside={<p className="dim">{isRange ? w.addresses(number(sizeOf(range))) : w.rangeHint}</p>}
    >
      <TextField label={c.name} value={name} onChange={setName} problems={form.problems('name')} />
      <TextField
        label={w.range}
        hint={w.rangeHint}
        isMono
        value={range}
        onChange={setRange}
        problems={form.problems('ip_range')}
      />
      <Check checked={hasSubnet} onChange={withSubnet} aside={w.subnetWhy}>
        {w.withSubnet}
      </Check>
      {hasSubnet && (
        <>
          <TextField
            label={w.subnetRange}
            isMono
            value={subnetRange}
            onChange={setSubnet}
            problems={form.problems('subnets')}
          />
          <SelectField
            label={w.zone}
            hint={w.zoneHint}
            value={zone}
            options={zones.map((value) => ({ value, label: value }))}
            onChange={setZone}
          />
        </>
      )}
      <LabelsField value={labels} onChange={setLabels} problems={form.problems('labels')} />
    </FormPage>
  )
}
