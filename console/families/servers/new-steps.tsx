/** The sections of the form. */

import { type ReactNode, useState } from 'react'
import { isHostLabel } from '../../../src/protocols/net/hostnames.ts'
import type { FieldProblems } from '../../api/failure.ts'
import { aMonth } from '../../lib/money.ts'
import { Check } from '../../ui/check.tsx'
import { AreaField, SelectField, TextField } from '../../ui/field.tsx'
import { LabelsField } from '../../ui/labels-field.tsx'
import { Halves } from '../../ui/page.tsx'
import { PickTags } from '../../ui/pick-tags.tsx'
import { Seg } from '../../ui/seg.tsx'
import type { Step } from '../../ui/steps.tsx'
import { Tiles } from '../../ui/tile.tsx'
import { problemsIn } from '../../ui/use-submit.ts'
import { common as c } from '../../words/common.ts'
import { date, list, number, percent } from '../../words/format.ts'
import type { Choices } from './choices.ts'
import { choiceOf, costsOf, type Draft, type Image, imagesOf, namesIn } from './draft.ts'
import { isGroupGone, type Section, sectionOf, type Wrongs } from './judge.ts'
import { newServer as w } from './new.words.ts'
import { fieldsOf, type Part, type Picked, parts } from './new-data.ts'
import { TypeTable } from './new-types.tsx'

interface Form {
  readonly draft: Draft
  readonly data: Choices
  readonly change: (part: Partial<Draft>) => void
  /** The problems that the console knows. */
  readonly wrongs: Wrongs
  /** Those that the server names. */
  readonly fields: FieldProblems
}

const partsIn = (id: Section) => parts.filter((part) => sectionOf(part) === id)

/** The fields of the request that a section of the form has as a whole; others say themselves what is wrong with them. */
const ownFields: Readonly<Partial<Record<Section, readonly string[]>>> = {
  location: ['location', 'datacenter'],
  image: ['image'],
  type: ['server_type'],
  networking: ['public_net'],
}

const fieldsIn = (id: Section) => [...(ownFields[id] ?? []), ...partsIn(id).flatMap(fieldsOf)]

/** Everything that some part of the form says itself. */
export const drawnFields = [
  ...Object.values(ownFields).flat(),
  ...parts.flatMap(fieldsOf),
  ...['name', 'labels', 'user_data', 'placement_group'],
]

export function newSteps(form: Form): readonly Step[] {
  const { draft, wrongs, fields } = form
  const hasPicked = ({ family }: Part) => draft.picked[family].ids.length > 0
  const section = (id: Section, title: string, isDone: boolean, content: ReactNode, own: readonly string[] = []) => ({
    id,
    title,
    isDone,
    content,
    problems: [
      ...(wrongs[id] && own.length === 0 ? [wrongs[id]] : []),
      ...fieldsIn(id).flatMap((field) => problemsIn(fields, field) ?? []),
    ],
    isWrong: own.length > 0,
  })
  return [
    section('location', w.location, draft.location !== undefined, <Places {...form} />),
    section('image', w.image, draft.image !== undefined, <Images {...form} />),
    section('type', w.type, draft.type !== undefined, <TypeTable {...form} />),
    section(
      'networking',
      w.networking,
      draft.ipv4 || draft.ipv6 || partsIn('networking').some(hasPicked),
      <Networking {...form} />,
    ),
    ...parts
      .filter((part) => sectionOf(part) === part.family)
      .map((part) => section(part.family, part.label, hasPicked(part), <Picks {...form} part={part} />)),
    section('backups', w.backups, draft.backups, <Backups {...form} />),
    section('more', w.more, draft.userData !== '' || draft.placementGroup !== undefined, <More {...form} />, [
      ...(problemsIn(fields, 'user_data') ?? []),
      ...(groupProblems(form) ?? []),
    ]),
    section('name', w.nameAndLabels, draft.name !== '', <Naming {...form} />, [
      ...(namingProblems(form) ?? []),
      ...(problemsIn(fields, 'labels') ?? []),
    ]),
  ]
}

function Places({ draft, change, data }: Form) {
  return (
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
  )
}

function Picks({ draft, change, data, part }: Form & { readonly part: Part }) {
  const { family, label, none, asideOf, obstacleOf, question } = part
  const { location = '' } = draft
  const picked = draft.picked[family]
  const pick = (some: Partial<Picked>) => change({ picked: { ...draft.picked, [family]: { ...picked, ...some } } })
  return (
    <>
      <PickTags
        label={label}
        options={data.rows[family].map((row) => ({
          id: row.id,
          name: row.name,
          aside: asideOf?.(row),
          obstacle: obstacleOf?.(row, location),
        }))}
        value={picked.ids}
        none={none(location)}
        onChange={(ids) => pick({ ids })}
      />
      {question && picked.ids.length > 0 && (
        <Check checked={picked.answer} onChange={(answer) => pick({ answer })}>
          {question.text}
        </Check>
      )}
    </>
  )
}

function Naming(form: Form) {
  const { draft, change, fields } = form
  return (
    <Halves>
      <TextField
        label={w.name}
        name="name"
        isMono
        value={draft.name}
        hint={w.nameHint}
        problems={namingProblems(form)}
        onChange={(name) => change({ name })}
      />
      <LabelsField
        value={draft.labels}
        problems={problemsIn(fields, 'labels')}
        onChange={(labels) => change({ labels })}
      />
    </Halves>
  )
}

function namingProblems({ draft, wrongs, fields }: Form): readonly string[] | undefined {
  return wrongs.name ? [wrongs.name] : (nameProblems(draft.name) ?? problemsIn(fields, 'name'))
}

function groupProblems({ wrongs, fields }: Form): readonly string[] | undefined {
  return wrongs.more ? [wrongs.more] : problemsIn(fields, 'placement_group')
}

/** Names are host names: what is wrong, and what was probably meant. */
function nameProblems(text: string): readonly string[] | undefined {
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

function Networking(form: Form) {
  const { draft, change, data } = form
  const cost = costsOf({ ...draft, ipv4: true }, data.pricing).find(({ detail }) => detail === 'ipv4')
  return (
    <>
      <Check
        checked={draft.ipv4}
        onChange={(ipv4) => change({ ipv4 })}
        aside={cost && aMonth(cost.monthly, data.pricing.currency)}
      >
        {w.ipv4}
      </Check>
      <Check checked={draft.ipv6} onChange={(ipv6) => change({ ipv6 })} aside={w.free}>
        {w.ipv6}
      </Check>
      {partsIn('networking').map((part) => (
        <Picks key={part.family} {...form} part={part} />
      ))}
    </>
  )
}

function Backups({ draft, change, data }: Form) {
  const cost = costsOf({ ...draft, backups: true }, data.pricing).find(({ what }) => what === 'backups')
  const share = percent(Number(data.pricing.server_backup.percentage))
  return (
    <Check
      kind="switch"
      checked={draft.backups}
      onChange={(backups) => change({ backups })}
      aside={cost && w.backupsPrice(share, aMonth(cost.monthly, data.pricing.currency))}
    >
      {w.backupsText}
    </Check>
  )
}

function More(form: Form) {
  const { draft, change, data, fields } = form
  const { placementGroup: group } = draft
  const isGone = isGroupGone(draft, data)
  return (
    <>
      <AreaField
        label={w.userData}
        hint={w.userDataHint}
        isMono
        value={draft.userData}
        problems={problemsIn(fields, 'user_data')}
        onChange={(userData) => change({ userData })}
      />
      {(data.groups.length > 0 || isGone) && (
        <SelectField
          label={w.placementGroup}
          value={String(group ?? '')}
          options={[
            { value: '', label: w.noGroup },
            ...(isGone ? [{ value: String(group), label: `#${group} ${c.isGone}` }] : []),
            ...data.groups.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          problems={groupProblems(form)}
          onChange={(id) => change({ placementGroup: id === '' ? undefined : Number(id) })}
        />
      )}
    </>
  )
}
