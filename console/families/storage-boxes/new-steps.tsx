/** The sections of the form of a new Storage Box. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { NameFields } from '../../pages/shared/name-fields.tsx'
import { TypeTiles } from '../../pages/shared/type-parts.tsx'
import { Check } from '../../ui/check.tsx'
import { AreaField, Problems } from '../../ui/field.tsx'
import type { LabelMap } from '../../ui/labels-field.tsx'
import { said } from '../../ui/said.tsx'
import { type Step, stepsFrom } from '../../ui/steps.tsx'
import { Tiles } from '../../ui/tile.tsx'
import type { ProblemsOf } from '../../ui/use-submit.ts'
import { number } from '../../words/format.ts'
import { resources as r } from '../../words/resources.ts'
import { ratesIn } from '../pricing/lines.ts'
import type { BoxType } from './box.ts'
import { boxFlags, FlagsField } from './flags.tsx'
import { faultOf } from './password.ts'
import { PasswordField } from './password-field.tsx'
import { sizeText } from './usage.ts'
import { boxes as w } from './words.ts'

export interface Draft {
  readonly name: string
  readonly location: string
  readonly type: string
  readonly password: string
  /** Public keys of the Project that are given along, as text. */
  readonly keys: readonly string[]
  /** More public keys, one a line. */
  readonly moreKeys: string
  readonly access: Readonly<Record<(typeof boxFlags)[number], boolean>>
  readonly labels: LabelMap
}

interface StepProps {
  readonly draft: Draft
  readonly problems: ProblemsOf
  readonly change: (part: Partial<Draft>) => void
}

/** All public keys of a draft, in their order. */
export function keysOf({ keys, moreKeys }: Pick<Draft, 'keys' | 'moreKeys'>): readonly string[] {
  const more = moreKeys.split('\n').map((line) => line.trim())
  return [...keys, ...more.filter((line) => line !== '')]
}

export function stepsOf(form: StepProps): readonly Step[] {
  const { location, type, password, access, name } = form.draft
  const step = stepsFrom(form)
  return [
    step('location', r.location, location !== '', LocationStep),
    step('type', r.type, type !== '', TypeStep),
    step('password', w.password, faultOf(password) === undefined, PasswordStep),
    step('keys', w.keys, keysOf(form.draft).length > 0, KeysStep),
    step('access', w.access, Object.values(access).includes(true), AccessStep),
    step('name', r.nameAndLabels, name.trim() !== '', NameStep),
  ]
}

function LocationStep({ draft, change }: StepProps) {
  const api = useApi()
  const { data: locations } = useSuspenseQuery(api.list('locations_list', {}))
  const { data: types } = useSuspenseQuery(api.list('storage_box_types_list', {}))
  const isOff = (location: string) => !types.some(({ prices }) => ratesIn(prices, location))
  return (
    <Tiles
      name="location"
      value={draft.location}
      options={locations.map(({ name, city }) => ({
        value: name,
        title: name,
        text: isOff(name) ? w.noneThere(city) : city,
        isOff: isOff(name),
      }))}
      onChange={(location) => change({ location })}
    />
  )
}

export function limitsOf({ snapshot_limit: snapshots, subaccounts_limit: subaccounts }: BoxType): string {
  return w.limitsText(snapshots === null ? '∞' : number(snapshots), number(subaccounts))
}

function TypeStep({ draft: { type, location }, problems, change }: StepProps) {
  const { data: types } = useSuspenseQuery(useApi().list('storage_box_types_list', {}))
  const wrong = [...(problems('storage_box_type') ?? []), ...(problems('location') ?? [])]
  return (
    <>
      <TypeTiles
        types={types}
        location={location}
        value={type}
        titleOf={({ name, size }) => `${name} · ${sizeText(size)}`}
        limitsOf={limitsOf}
        onChange={(type) => change({ type })}
      />
      {wrong.length > 0 && <Problems id="type-problems" problems={wrong} />}
    </>
  )
}

function PasswordStep({ draft: { password }, problems, change }: StepProps) {
  return (
    <PasswordField value={password} problems={problems('password')} onChange={(password) => change({ password })} />
  )
}

/** Says which key is meant by its name or its line, in place of where it is in the request. */
function keyProblem(problem: string, names: readonly string[]): string {
  const [, at, what = problem] = /^\[(\d+)\] (.*)$/s.exec(problem) ?? []
  if (at === undefined) return said(what)
  const index = Number(at)
  return `${names[index] ?? w.keyLine(index - names.length + 1)} ${said(what)}.`
}

function KeysStep({ draft: { keys, moreKeys }, problems, change }: StepProps) {
  const { data: known } = useSuspenseQuery(useApi().list('ssh_keys_list', {}))
  const names = keys.map((key) => known.find((one) => one.public_key === key)?.name ?? key)
  const toggle = (key: string, isOn: boolean) =>
    change({ keys: isOn ? [...keys, key] : keys.filter((one) => one !== key) })
  return (
    <>
      <p className="dim">{known.length === 0 ? w.noKeys : w.keysHint}</p>
      {known.map(({ id, name, public_key: key }) => (
        <Check key={id} checked={keys.includes(key)} onChange={(isOn) => toggle(key, isOn)}>
          {name}
        </Check>
      ))}
      <AreaField
        label={w.moreKeys}
        hint={w.moreKeysHint}
        isMono
        rows={3}
        value={moreKeys}
        problems={problems('ssh_keys')?.map((one) => keyProblem(one, names))}
        onChange={(moreKeys) => change({ moreKeys })}
      />
    </>
  )
}

function AccessStep({ draft: { access }, change }: StepProps) {
  return <FlagsField isLabelHidden flags={boxFlags} value={access} onChange={(access) => change({ access })} />
}

function NameStep(form: StepProps) {
  return <NameFields {...form} maxLength={64} />
}
