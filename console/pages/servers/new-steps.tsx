/** The sections of the form. */
import { useState } from 'react'
import { isHostLabel } from '../../../src/net/hostnames.ts'
import type { FieldProblems } from '../../api/failure.ts'
import { Check } from '../../ui/check.tsx'
import { AreaField, SelectField, TextField } from '../../ui/field.tsx'
import { LabelsField } from '../../ui/labels-field.tsx'
import { Halves } from '../../ui/page.tsx'
import { PickTags } from '../../ui/pick-tags.tsx'
import { Seg } from '../../ui/seg.tsx'
import type { Step } from '../../ui/steps.tsx'
import { Tiles } from '../../ui/tile.tsx'
import { common } from '../../words/en/common.ts'
import { newServer } from '../../words/en/new-server.ts'
import { date, list, number, percent, price } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { choiceOf, costsOf, type Draft, type Image, imagesOf, isBadRange, namesIn } from './draft.ts'
import type { Choices } from './new.tsx'
import { TypeTable } from './new-types.tsx'

const w = wordsOf('newServer', newServer)
const c = wordsOf('common', common)

interface Form {
  readonly draft: Draft
  readonly data: Choices
  readonly change: (part: Partial<Draft>) => void
  readonly fields: FieldProblems
}

export function newSteps(form: Form): readonly Step[] {
  const { draft, change, data, fields } = form
  const names = nameProblems(draft.name) ?? fields.name
  return [
    {
      id: 'location',
      title: w.location,
      isDone: draft.location !== undefined,
      content: (
        <Tiles
          name="location"
          value={draft.location}
          options={data.locations.map(({ name, city, country }) => ({
            value: name,
            title: name,
            text: `${city}, ${country}`,
          }))}
          onChange={(location) => change({ location })}
        />
      ),
    },
    { id: 'image', title: w.image, isDone: draft.image !== undefined, content: <Images {...form} /> },
    {
      id: 'type',
      title: w.type,
      isDone: draft.type !== undefined,
      content: <TypeTable draft={draft} data={data} onChange={(type) => change({ type })} />,
    },
    {
      id: 'networking',
      title: w.networking,
      isDone: draft.ipv4 || draft.ipv6 || draft.networks.length > 0,
      content: <Networking {...form} />,
    },
    {
      id: 'keys',
      title: w.keys,
      isDone: draft.sshKeys.length > 0,
      content: (
        <PickTags
          label={w.keys}
          options={data.keys}
          value={draft.sshKeys}
          none={w.noKeys}
          onChange={(sshKeys) => change({ sshKeys })}
        />
      ),
    },
    {
      id: 'firewalls',
      title: w.firewalls,
      isDone: draft.firewalls.length > 0,
      content: (
        <PickTags
          label={w.firewalls}
          options={data.firewalls}
          value={draft.firewalls}
          none={w.noFirewalls}
          onChange={(firewalls) => change({ firewalls })}
        />
      ),
    },
    { id: 'backups', title: w.backups, isDone: draft.backups, content: <Backups {...form} /> },
    {
      id: 'more',
      title: w.more,
      isDone: draft.userData !== '' || draft.placementGroup !== undefined,
      content: <More {...form} />,
    },
    {
      id: 'name',
      title: w.nameAndLabels,
      isDone: draft.name !== '',
      isWrong: names !== undefined,
      content: (
        <Halves>
          <TextField
            label={w.name}
            name="name"
            isMono
            value={draft.name}
            hint={w.nameHint}
            problems={names}
            onChange={(name) => change({ name })}
          />
          <LabelsField value={draft.labels} problems={fields.labels} onChange={(labels) => change({ labels })} />
        </Halves>
      ),
    },
  ]
}

/** Names are host names: what is wrong, and what was probably meant. */
function nameProblems(text: string): readonly string[] | undefined {
  if (isBadRange(text)) return [w.badRange]
  const wrong = namesIn(text).find((name) => name !== '' && !name.split('.').every(isHostLabel))
  if (wrong === undefined) return undefined
  const better = wrong.replaceAll(/[^a-z0-9.-]+/gi, '-').replaceAll(/^-+|-+$/g, '')
  return [w.wrongName(better.split('.').every(isHostLabel) ? better : '')]
}

const kinds = ['system', 'app', 'snapshot', 'backup'] as const
type Kind = (typeof kinds)[number]

function Images({ draft, change, data }: Form) {
  const chosen = imagesOf(draft.image, data.images)[0]
  const [kind, setKind] = useState<Kind>(chosen?.type ?? 'system')
  const ofKind = (wanted: Kind) => [
    ...Map.groupBy(
      data.images.filter(({ type, status }) => type === wanted && status === 'available'),
      choiceOf,
    ),
  ]
  const options = ofKind(kind).map(([value, images]) => ({ value, title: titleOf(images[0]!), text: textOf(images) }))
  return (
    <>
      <Seg
        label={w.image}
        value={kind}
        options={kinds.map((value) => ({ value, label: w.kindCount(w.kinds[value], number(ofKind(value).length)) }))}
        onChange={setKind}
      />
      {options.length > 0 ? (
        <Tiles name="image" value={draft.image} options={options} onChange={(image) => change({ image })} />
      ) : (
        <p className="faint">{w.noImages}</p>
      )}
    </>
  )
}

function titleOf({ name, description }: Image): string {
  return name ?? description
}

function textOf(images: readonly Image[]): string {
  const chips = w.forChip(
    list(
      images.map(({ architecture }) => w.chips[architecture] ?? architecture),
      c.andMore,
    ),
  )
  const end = images[0]?.deprecation?.unavailable_after
  return end ? w.until(chips, date(end, { month: 'long', year: 'numeric' })) : chips
}

function Networking({ draft, change, data }: Form) {
  const cost = costsOf({ ...draft, ipv4: true }, data.types, data.pricing).find(({ key }) => key === 'ipv4')
  return (
    <>
      <Check
        checked={draft.ipv4}
        onChange={(ipv4) => change({ ipv4 })}
        aside={cost && w.aMonth(price(cost.monthly, data.pricing.currency))}
      >
        {w.ipv4}
      </Check>
      <Check checked={draft.ipv6} onChange={(ipv6) => change({ ipv6 })} aside={w.free}>
        {w.ipv6}
      </Check>
      <PickTags
        label={w.networks}
        options={data.networks}
        value={draft.networks}
        none={w.noNetworks}
        onChange={(networks) => change({ networks })}
      />
    </>
  )
}

function Backups({ draft, change, data }: Form) {
  const cost = costsOf({ ...draft, backups: true }, data.types, data.pricing).find(({ key }) => key === 'backups')
  const share = percent(Number(data.pricing.server_backup.percentage))
  return (
    <Check
      kind="switch"
      checked={draft.backups}
      onChange={(backups) => change({ backups })}
      aside={w.backupsPrice(share, price(cost?.monthly ?? 0, data.pricing.currency))}
    >
      {w.backupsText}
    </Check>
  )
}

function More({ draft, change, data, fields }: Form) {
  return (
    <>
      <AreaField
        label={w.userData}
        hint={w.userDataHint}
        isMono
        value={draft.userData}
        problems={fields.user_data}
        onChange={(userData) => change({ userData })}
      />
      {data.groups.length > 0 && (
        <SelectField
          label={w.placementGroup}
          value={String(draft.placementGroup ?? '')}
          options={[
            { value: '', label: w.noGroup },
            ...data.groups.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          onChange={(id) => change({ placementGroup: id === '' ? undefined : Number(id) })}
        />
      )}
    </>
  )
}
