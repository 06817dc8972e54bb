/** Creating a volume, with its price beside the form. */

import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { largestVolume, smallestVolume } from '../../../src/families/volumes/domain.ts'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { linkTo } from '../../families.ts'
import { nextName } from '../../lib/names.ts'
import { typedNumber } from '../../lib/typed-number.ts'
import { FormPage } from '../../pages/shared/form-page.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { useReason } from '../../shell/may.ts'
import { Price } from '../../ui/card.tsx'
import { Check } from '../../ui/check.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { useGo } from '../../ui/link.tsx'
import { Tiles } from '../../ui/tile.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { prices as p } from '../../words/prices.ts'
import { resources as r } from '../../words/resources.ts'
import { serverOptions, useVolumePrice } from './volume.ts'
import { volumes as w } from './words.ts'

export function NewVolumePage() {
  const api = useApi()
  const go = useGo()
  const priceOf = useVolumePrice()
  const list = linkTo('volumes', 'list')
  const { data: locations } = useSuspenseQuery(api.list('locations_list', {}))
  const { data: servers } = useSuspenseQuery(api.list('servers_list', {}))
  const { data: volumes } = useSuspenseQuery(api.list('volumes_list', {}))
  const [name, setName] = useState(() =>
    nextName(
      volumes.map((one) => one.name),
      'data',
    ),
  )
  const [size, setSize] = useState(String(smallestVolume))
  const [server, setServer] = useState('')
  const [location, setLocation] = useState(locations[0]?.name ?? '')
  const [format, setFormat] = useState<'none' | 'ext4' | 'xfs'>('ext4')
  const [automount, setAutomount] = useState(true)
  const [labels, setLabels] = useState<LabelMap>({})
  const request: ApiRequest<'volumes_create'> = {
    operation: 'volumes_create',
    body: {
      name,
      size: typedNumber(size),
      ...(server ? { server: Number(server), automount: automount && format !== 'none' } : { location }),
      ...(format === 'none' ? {} : { format }),
      ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}),
    },
  }
  const form = useRequest({
    request,
    families: ['volumes', 'servers'],
    done: () => go(list),
  })
  return (
    <FormPage
      title={w.create}
      crumbs={[{ label: w.title, link: list }]}
      form={form}
      act={w.create}
      reason={useReason('volumes_create')}
      isReady={name !== '' && size !== ''}
      cancel={list}
      request={request}
      aside={<Price amount={priceOf(Number(size)) ?? '–'} unit={p.month} aside={w.gb(size)} />}
    >
      <TextField label={c.name} value={name} onChange={setName} problems={form.problems('name')} />
      <TextField
        label={w.sizeInGb}
        hint={w.sizes(number(smallestVolume), number(largestVolume))}
        inputMode="numeric"
        value={size}
        onChange={setSize}
        problems={form.problems('size')}
      />
      <SelectField
        label={w.attachTo}
        hint={w.attachToHint}
        value={server}
        options={serverOptions(servers, w.nowhere)}
        onChange={setServer}
        problems={form.problems('server')}
      />
      {!server && (
        <SelectField
          label={r.location}
          value={location}
          options={locations.map((one) => ({ value: one.name, label: `${one.city} (${one.name})` }))}
          onChange={setLocation}
          problems={form.problems('location')}
        />
      )}
      <fieldset>
        <legend>{w.format}</legend>
        <Tiles
          name="format"
          value={format}
          options={[
            { value: 'ext4', title: 'ext4', text: w.ext4Text },
            { value: 'xfs', title: 'xfs', text: w.xfsText },
            { value: 'none', title: w.unformatted, text: w.unformattedText },
          ]}
          onChange={setFormat}
        />
      </fieldset>
      {server && format !== 'none' && (
        <Check checked={automount} onChange={setAutomount}>
          {w.automount}
        </Check>
      )}
      <LabelsField value={labels} onChange={setLabels} problems={form.problems('labels')} />
    </FormPage>
  )
}
