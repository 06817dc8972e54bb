/** A new Load Balancer, with what it costs. */

import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { linkTo } from '../../families.ts'
import { LongFormPage } from '../../pages/shared/long-form-page.tsx'
import { selectorProblem } from '../../pages/shared/selector-field.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { TypePrice } from '../../pages/shared/type-parts.tsx'
import { useReason } from '../../shell/may.ts'
import { Facts } from '../../ui/card.tsx'
import { useGo } from '../../ui/link.tsx'
import { resources as r } from '../../words/resources.ts'
import { type BalancerType, type Draft, limitsOf, stepsOf } from './new-steps.tsx'
import { bodyOf, newFields } from './service-fields.ts'
import { balancers as w } from './words.ts'

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
  const reason = may ?? (draft.name.trim() === '' ? r.nameMissing : selectorProblem(draft.selector))
  const request: ApiRequest<'load_balancers_create'> = { operation: 'load_balancers_create', body: toBody(draft) }
  const form = useRequest<'load_balancers_create'>({
    request,
    families: ['load_balancers', 'servers', 'networks'],
    done: ({ load_balancer: { id } }) => go(linkTo('load_balancers', 'one', { id })),
  })
  return (
    <LongFormPage
      act={w.create}
      list={{ label: w.title, link: linkTo('load_balancers', 'list') }}
      steps={stepsOf({
        draft,
        problems: form.problems,
        change: (part) => setDraft((old) => ({ ...old, ...part })),
      })}
      summary={<Summary type={types.find(({ name }) => name === draft.type)} location={draft.location} />}
      {...{ form, request, reason }}
      isNamed={draft.name.trim() !== ''}
      notCreated={w.notCreated}
    />
  )
}

interface SummaryProps {
  readonly type: BalancerType | undefined
  readonly location: string
}

function Summary({ type, location }: SummaryProps) {
  const facts: [string, string][] = [
    [w.columns.type, type?.name ?? ''],
    [w.columns.location, location],
  ]
  if (type) facts.push([w.limits, limitsOf(type)])
  return (
    <>
      <TypePrice type={type} location={location} />
      <Facts rows={facts} />
    </>
  )
}
