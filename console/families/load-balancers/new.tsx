/** A new Load Balancer, with what it costs. */

import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { linkTo } from '../../families.ts'
import { money } from '../../lib/money.ts'
import { Equivalents } from '../../pages/shared/equivalents.tsx'
import { selectorProblem } from '../../pages/shared/selector-field.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts, Price } from '../../ui/card.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { useGo } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page.tsx'
import { LongForm } from '../../ui/steps.tsx'
import { useChanged, useUnsaved } from '../../ui/unsaved.ts'
import { prices as p } from '../../words/prices.ts'
import { ratesIn } from '../pricing/lines.ts'
import { type Draft, limitsOf, stepsOf } from './new-steps.tsx'
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
  const reason = may ?? (draft.name.trim() === '' ? w.nameMissing : selectorProblem(draft.selector))
  const request: ApiRequest<'load_balancers_create'> = { operation: 'load_balancers_create', body: toBody(draft) }
  const { isBusy, cause, problems, send } = useRequest<'load_balancers_create'>({
    request,
    families: ['load_balancers', 'servers', 'networks'],
    // Why it was refused is always said below the button as well.
    done: ({ load_balancer: { id } }) => go(linkTo('load_balancers', 'one', { id })),
  })
  useUnsaved(useChanged(draft) && !isBusy)
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
        steps={stepsOf({ draft, problems, change: (part) => setDraft((old) => ({ ...old, ...part })) })}
        onSubmit={() => reason === undefined && send()}
        aside={
          <>
            <Card padded>
              <Summary {...draft} />
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

function Summary({ type: name, location }: Pick<Draft, 'type' | 'location'>) {
  const api = useApi()
  const { data: types } = useSuspenseQuery(api.list('load_balancer_types_list', {}))
  const { currency } = useSuspenseQuery(api.query('pricing_get', {})).data.pricing
  const type = types.find((one) => one.name === name)
  const cost = type && ratesIn(type.prices, location)
  const facts: [string, string][] = [
    [w.columns.type, name],
    [w.columns.location, location],
  ]
  if (type) facts.push([w.limits, limitsOf(type)])
  return (
    <>
      {cost ? (
        <Price
          amount={money(cost.monthly, currency)}
          unit={p.month}
          aside={p.anHour(money(cost.hourly, currency, 4))}
        />
      ) : (
        <p className="dim">{w.noPrice}</p>
      )}
      <Facts rows={facts} />
    </>
  )
}
