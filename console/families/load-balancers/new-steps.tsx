/** The sections of the form of a new Load Balancer. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { type ItemOf, useApi } from '../../api/api.ts'
import { NameFields } from '../../pages/shared/name-fields.tsx'
import { SelectorField, selectorProblem } from '../../pages/shared/selector-field.tsx'
import { TypeTiles } from '../../pages/shared/type-parts.tsx'
import { SelectField } from '../../ui/field.tsx'
import type { LabelMap } from '../../ui/labels-field.tsx'
import { type Step, stepsFrom } from '../../ui/steps.tsx'
import { Tiles } from '../../ui/tile.tsx'
import type { ProblemsOf } from '../../ui/use-submit.ts'
import { number } from '../../words/format.ts'
import { resources as r } from '../../words/resources.ts'
import { ServiceForm } from './service-dialog.tsx'
import type { ServiceFields } from './service-fields.ts'
import { balancers as w } from './words.ts'

export interface Draft {
  readonly name: string
  readonly location: string
  readonly type: string
  readonly algorithm: 'round_robin' | 'least_connections'
  readonly service: ServiceFields
  readonly selector: string
  /** Empty for none. */
  readonly network: string
  readonly labels: LabelMap
}

interface StepProps {
  readonly draft: Draft
  readonly problems: ProblemsOf
  readonly change: (part: Partial<Draft>) => void
}

export function stepsOf(form: StepProps): readonly Step[] {
  const { location, type, service, selector, network, name } = form.draft
  const step = stepsFrom(form)
  return [
    step('location', w.columns.location, location !== '', LocationStep),
    step('type', w.columns.type, type !== '', TypeStep),
    step('service', w.service, service.listenPort !== '', ServiceStep),
    step('targets', w.tabs.targets, selector.trim() !== '', TargetsStep),
    step('network', w.network, network !== '', NetworkStep),
    step('name', r.nameAndLabels, name.trim() !== '', NameStep),
  ]
}

function LocationStep({ draft, change }: StepProps) {
  const { data: locations } = useSuspenseQuery(useApi().list('locations_list', {}))
  return (
    <Tiles
      name="location"
      value={draft.location}
      options={locations.map(({ name, city }) => ({ value: name, title: name, text: city }))}
      onChange={(location) => change({ location })}
    />
  )
}

export type BalancerType = ItemOf<'load_balancer_types_list'>

export function limitsOf({ max_connections: connections, max_services, max_targets }: BalancerType): string {
  return w.limitsText(number(connections), max_services, max_targets)
}

function TypeStep({ draft: { type, location }, change }: StepProps) {
  const { data: types } = useSuspenseQuery(useApi().list('load_balancer_types_list', {}))
  return (
    <TypeTiles
      types={types}
      location={location}
      value={type}
      limitsOf={limitsOf}
      onChange={(type) => change({ type })}
    />
  )
}

const algorithms = ['round_robin', 'least_connections'] as const

function ServiceStep({ draft: { service, algorithm }, problems, change }: StepProps) {
  return (
    <>
      <ServiceForm
        isNew
        fields={service}
        problems={(field) => problems(`services[0].${field}`)}
        change={(part) => change({ service: { ...service, ...part } })}
      />
      <SelectField
        label={w.algorithm}
        value={algorithm}
        options={algorithms.map((value) => ({ value, label: w.algorithms[value] }))}
        onChange={(algorithm) => change({ algorithm })}
      />
    </>
  )
}

function TargetsStep({ draft: { selector }, change }: StepProps) {
  const { data: servers } = useSuspenseQuery(useApi().list('servers_list', {}))
  return (
    <>
      <p className="dim">{w.targetsLater}</p>
      <SelectorField
        value={selector}
        problem={selectorProblem(selector)}
        servers={servers}
        onChange={(selector) => change({ selector })}
      />
    </>
  )
}

function NetworkStep({ draft, problems, change }: StepProps) {
  const { data: networks } = useSuspenseQuery(useApi().list('networks_list', {}))
  return (
    <SelectField
      label={w.network}
      value={draft.network}
      options={[
        { value: '', label: w.noNetwork },
        ...networks.map(({ id, name, ip_range }) => ({ value: String(id), label: `${name} · ${ip_range}` })),
      ]}
      problems={problems('network')}
      onChange={(network) => change({ network })}
    />
  )
}

function NameStep(form: StepProps) {
  return <NameFields {...form} maxLength={255} />
}
