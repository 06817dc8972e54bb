/** The sections of the form of a new Load Balancer. */
import { useSuspenseQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type ItemOf, useApi } from '../../api/api.ts'
import { aMonth } from '../../lib/money.ts'
import { SelectorField, selectorProblem } from '../../pages/shared/selector-field.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import type { Step } from '../../ui/steps.tsx'
import { Tiles } from '../../ui/tile.tsx'
import type { ProblemsOf } from '../../ui/use-submit.ts'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { ratesIn } from '../pricing/lines.ts'
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
  const step = (id: string, title: string, isDone: boolean, Content: (form: StepProps) => ReactNode) => ({
    id,
    title,
    isDone,
    content: <Content {...form} />,
  })
  return [
    step('location', w.columns.location, location !== '', LocationStep),
    step('type', w.columns.type, type !== '', TypeStep),
    step('service', w.service, service.listenPort !== '', ServiceStep),
    step('targets', w.tabs.targets, selector.trim() !== '', TargetsStep),
    step('network', w.network, network !== '', NetworkStep),
    step('name', w.nameAndLabels, name.trim() !== '', NameStep),
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

type BalancerType = ItemOf<'load_balancer_types_list'>

export function limitsOf({ max_connections: connections, max_services, max_targets }: BalancerType): string {
  return w.limitsText(number(connections), max_services, max_targets)
}

function TypeStep({ draft, change }: StepProps) {
  const api = useApi()
  const { data: types } = useSuspenseQuery(api.list('load_balancer_types_list', {}))
  const { currency } = useSuspenseQuery(api.query('pricing_get', {})).data.pricing
  const priceOf = ({ prices }: BalancerType) => {
    const cost = ratesIn(prices, draft.location)
    return cost ? aMonth(cost.monthly, currency) : w.notThere
  }
  const textOf = (type: BalancerType) => (
    <>
      {priceOf(type)}
      <br />
      {limitsOf(type)}
    </>
  )
  return (
    <Tiles
      name="type"
      value={draft.type}
      options={types.map((type) => ({ value: type.name, title: type.name, text: textOf(type) }))}
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

function NameStep({ draft: { name, labels }, problems, change }: StepProps) {
  return (
    <>
      <TextField
        label={c.name}
        value={name}
        maxLength={255}
        problems={problems('name')}
        onChange={(name) => change({ name })}
      />
      <LabelsField value={labels} problems={problems('labels')} onChange={(labels) => change({ labels })} />
    </>
  )
}
