/** Creating a zone: one that is kept here, also from a zone file, or a copy of one that is kept elsewhere. */
import { useState } from 'react'
import type { ApiRequest } from '../../api/operations.ts'
import { linkTo } from '../../families.ts'
import { typedNumber } from '../../lib/typed-number.ts'
import { FilePick } from '../../pages/shared/file-pick.tsx'
import { FormPage } from '../../pages/shared/form-page.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { useReason } from '../../shell/may.ts'
import { AreaField, TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { useGo } from '../../ui/link.tsx'
import { Tiles } from '../../ui/tile.tsx'
import { newPrimary, PrimariesField, type PrimaryDraft, primariesOf } from './primaries-field.tsx'
import { zones as w } from './words.ts'

export function NewZonePage() {
  const go = useGo()
  const [name, setName] = useState('')
  const [mode, setMode] = useState<'primary' | 'secondary'>('primary')
  const [ttl, setTtl] = useState('')
  const [zonefile, setZonefile] = useState('')
  const [primaries, setPrimaries] = useState<readonly PrimaryDraft[]>(() => [newPrimary()])
  const [labels, setLabels] = useState<LabelMap>({})
  const isPrimary = mode === 'primary'
  const request: ApiRequest<'zones_create'> = {
    operation: 'zones_create',
    body: {
      name: name.trim(),
      mode,
      ...(isPrimary && ttl ? { ttl: typedNumber(ttl) } : {}),
      ...(isPrimary && zonefile.trim() ? { zonefile } : {}),
      ...(isPrimary ? {} : { primary_nameservers: primariesOf(primaries) }),
      ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}),
    },
  }
  const form = useRequest({
    request,
    families: ['zones'],
    done: ({ zone }) => go(linkTo('zones', 'one', { zone: zone.name })),
  })
  const list = linkTo('zones', 'list')
  return (
    <FormPage
      title={w.create}
      crumbs={[{ label: w.title, link: list }]}
      form={form}
      act={w.create}
      reason={useReason('zones_create')}
      isReady={name.trim() !== '' && (isPrimary || primaries.every(({ address }) => address.trim() !== ''))}
      cancel={list}
      request={request}
      aside={<p className="dim">{isPrimary ? w.afterPrimary : w.afterSecondary}</p>}
    >
      <TextField
        label={w.name}
        hint={w.nameHint}
        isMono
        value={name}
        onChange={(text) => setName(text.toLowerCase())}
        problems={form.problems('name')}
      />
      <fieldset>
        <legend>{w.mode}</legend>
        <Tiles
          name="mode"
          value={mode}
          options={[
            { value: 'primary', title: w.modes.primary, text: w.primaryText },
            { value: 'secondary', title: w.modes.secondary, text: w.secondaryText },
          ]}
          onChange={setMode}
        />
      </fieldset>
      {isPrimary ? (
        <>
          <TextField
            label={w.ttl}
            hint={w.ttlHint}
            inputMode="numeric"
            placeholder="3600"
            value={ttl}
            onChange={setTtl}
            problems={form.problems('ttl')}
          />
          <AreaField
            label={w.zonefile}
            hint={w.zonefileHint}
            isMono
            value={zonefile}
            onChange={setZonefile}
            problems={form.problems('zonefile')}
          />
          <FilePick label={w.chooseFile} onText={setZonefile} />
        </>
      ) : (
        <PrimariesField value={primaries} onChange={setPrimaries} form={form} />
      )}
      <LabelsField value={labels} onChange={setLabels} problems={form.problems('labels')} />
    </FormPage>
  )
}
