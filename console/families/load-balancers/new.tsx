/** A new Load Balancer, with what it costs. */

import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { linkTo } from '../../families.ts'
import { aMonth, money } from '../../lib/money.ts'
import { Equivalents } from '../../pages/shared/equivalents.tsx'
import { SelectorField, selectorProblem } from '../../pages/shared/selector-field.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts, Price } from '../../ui/card.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { useGo } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page.tsx'
import { LongForm, type Step } from '../../ui/steps.tsx'
import { Tiles } from '../../ui/tile.tsx'
import { useChanged, useUnsaved } from '../../ui/unsaved.ts'
import type { ProblemsOf } from '../../ui/use-submit.ts'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { prices as p } from '../../words/prices.ts'
import { ratesIn } from '../pricing/lines.ts'
import { ServiceForm } from './service-dialog.tsx'
import { bodyOf, newFields, type ServiceFields } from './service-fields.ts'
import { balancers as w } from './words.ts'

interface Draft {
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

function toBody(draft: Draft): ApiRequest<'load_balancers_create'>['body'] {
  const { name, location, type, algorithm, service, selector, network, labels } = draft
  const isTargeted = selector.trim() !== '' && selectorProblem(selector) === undefined
  return {
    name: name.trim(),
    load_balancer_type: type,
    location,
    algorithm: { type: algorithm },
    services: [bodyOf(service)],
    ...(isTargeted
      ? {
          targets: [
            {
              type: 'label_selector',
              label_selector: { selector: selector.trim() },
              ...(network ? { use_private_ip: true } : {}),
            },
          ],
        }
      : {}),
    ...(network ? { network: Number(network) } : {}),
    ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}),
  }
}

export function NewBalancerPage() {
  const go = useGo()
  const api = useApi()
  const { data: types } = useSuspenseQuery(api.list('load_balancer_types_list', {}))
  const { data: locations } = useSuspenseQuery(api.list('locations_list', {}))
  const { data: pricing } = useSuspenseQuery(api.query('pricing_get', {}))
  const [draft, setDraft] = useState<Draft>({
    name: '',
    location: locations[0]?.name ?? '',
    type: types[0]?.name ?? '',
    algorithm: 'round_robin',
    service: newFields('http'),
    selector: '',
    network: '',
    labels: {},
  })
  const may = useReason('load_balancers_create')
  const reason = may ?? (draft.name.trim() === '' ? w.nameMissing : selectorProblem(draft.selector))
  const request: ApiRequest<'load_balancers_create'> = { operation: 'load_balancers_create', body: toBody(draft) }
  const { isBusy, cause, problems, send } = useRequest<'load_balancers_create'>({
    request,
    families: ['load_balancers', 'servers', 'networks'],
    // Why it was refused is always said below the button as well.
    done: ({ load_balancer: { id } }) => go(linkTo('load_balancers', 'one', { id })),
  })
  useUnsaved(useChanged(draft) && !isBusy)
  const type = types.find(({ name }) => name === draft.type)
  const { currency } = pricing.pricing
  const cost = type && ratesIn(type.prices, draft.location)
  return (
    <>
      <PageHead
        title={w.create}
        crumbs={[{ label: w.title, link: linkTo('load_balancers', 'list') }]}
        actions={<CommandsButton request={request} />}
      />
      <LongForm
        label={w.sections}
        asideLabel={w.summary}
        steps={useSteps({ draft, problems, change: (part) => setDraft((old) => ({ ...old, ...part })) })}
        onSubmit={() => reason === undefined && send()}
        aside={
          <>
            <Card padded>
              {cost ? (
                <Price
                  amount={money(cost.monthly, currency)}
                  unit={p.month}
                  aside={p.anHour(money(cost.hourly, currency, 4))}
                />
              ) : (
                <p className="dim">{w.noPrice}</p>
              )}
              <Facts
                rows={[
                  [w.columns.type, draft.type],
                  [w.columns.location, draft.location],
                  ...(type
                    ? [
                        [
                          w.limits,
                          w.limitsText(number(type.max_connections), type.max_services, type.max_targets),
                        ] as const,
                      ]
                    : []),
                ]}
              />
              <Button type="submit" look="primary" wide isBusy={isBusy} reason={reason}>
                {w.create}
              </Button>
              {cause !== undefined && <FailureNote cause={cause} what={w.notCreated} />}
            </Card>
            {draft.name.trim() !== '' && <Equivalents request={request} />}
          </>
        }
      />
    </>
  )
}

interface StepsProps {
  readonly draft: Draft
  readonly problems: ProblemsOf
  readonly change: (part: Partial<Draft>) => void
}

function useSteps({ draft, problems, change }: StepsProps): readonly Step[] {
  const api = useApi()
  const { data: types } = useSuspenseQuery(api.list('load_balancer_types_list', {}))
  const { data: locations } = useSuspenseQuery(api.list('locations_list', {}))
  const { data: pricing } = useSuspenseQuery(api.query('pricing_get', {}))
  const { data: networks } = useSuspenseQuery(api.list('networks_list', {}))
  const { data: servers } = useSuspenseQuery(api.list('servers_list', {}))
  const priceOf = (type: (typeof types)[number]) => {
    const cost = ratesIn(type.prices, draft.location)
    return cost ? aMonth(cost.monthly, pricing.pricing.currency) : w.notThere
  }
  return [
    {
      id: 'location',
      title: w.columns.location,
      isDone: draft.location !== '',
      content: (
        <Tiles
          name="location"
          value={draft.location}
          options={locations.map(({ name, city }) => ({ value: name, title: name, text: city }))}
          onChange={(location) => change({ location })}
        />
      ),
    },
    {
      id: 'type',
      title: w.columns.type,
      isDone: draft.type !== '',
      content: (
        <Tiles
          name="type"
          value={draft.type}
          options={types.map((type) => ({
            value: type.name,
            title: type.name,
            text: (
              <>
                {priceOf(type)}
                <br />
                {w.limitsText(number(type.max_connections), type.max_services, type.max_targets)}
              </>
            ),
          }))}
          onChange={(type) => change({ type })}
        />
      ),
    },
    {
      id: 'service',
      title: w.service,
      isDone: draft.service.listenPort !== '',
      content: (
        <>
          <ServiceForm
            isNew
            fields={draft.service}
            problems={(field) => problems(`services[0].${field}`)}
            change={(part) => change({ service: { ...draft.service, ...part } })}
          />
          <SelectField
            label={w.algorithm}
            value={draft.algorithm}
            options={(['round_robin', 'least_connections'] as const).map((value) => ({
              value,
              label: w.algorithms[value],
            }))}
            onChange={(algorithm) => change({ algorithm })}
          />
        </>
      ),
    },
    {
      id: 'targets',
      title: w.tabs.targets,
      isDone: draft.selector.trim() !== '',
      content: (
        <>
          <p className="dim">{w.targetsLater}</p>
          <SelectorField
            value={draft.selector}
            problem={selectorProblem(draft.selector)}
            servers={servers}
            onChange={(selector) => change({ selector })}
          />
        </>
      ),
    },
    {
      id: 'network',
      title: w.network,
      isDone: draft.network !== '',
      content: (
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
      ),
    },
    {
      id: 'name',
      title: w.nameAndLabels,
      isDone: draft.name.trim() !== '',
      content: (
        <>
          <TextField
            label={c.name}
            value={draft.name}
            maxLength={255}
            problems={problems('name')}
            onChange={(name) => change({ name })}
          />
          <LabelsField value={draft.labels} problems={problems('labels')} onChange={(labels) => change({ labels })} />
        </>
      ),
    },
  ]
}
