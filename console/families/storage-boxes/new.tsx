/** A new Storage Box, with what it costs. Its password is shown once when it is made. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { linkTo } from '../../families.ts'
import { money } from '../../lib/money.ts'
import { nextName } from '../../lib/names.ts'
import { Equivalents } from '../../pages/shared/equivalents.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts, Price } from '../../ui/card.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { useGo } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page.tsx'
import { LongForm } from '../../ui/steps.tsx'
import { None } from '../../ui/tag.tsx'
import { useChanged, useUnsaved } from '../../ui/unsaved.ts'
import { prices as p } from '../../words/prices.ts'
import { resources as r } from '../../words/resources.ts'
import { ratesIn } from '../pricing/lines.ts'
import { boxFlags, flagsText } from './flags.tsx'
import { type Draft, keysOf, limitsOf, stepsOf } from './new-steps.tsx'
import { faultOf, newPassword } from './password.ts'
import { usePasswordOnce } from './password-once.tsx'
import { sizeText } from './usage.ts'
import { boxes as w } from './words.ts'

/** Somebody who makes one for backups wants SSH, from everywhere. */
const begun = {
  ssh_enabled: true,
  webdav_enabled: false,
  reachable_externally: true,
  zfs_enabled: false,
  samba_enabled: false,
}

function toBody(draft: Draft): ApiRequest<'storage_boxes_create'>['body'] {
  const { name, location, type, password, access, labels } = draft
  const on = boxFlags.filter((flag) => access[flag])
  const keys = keysOf(draft)
  return {
    name: name.trim(),
    location,
    storage_box_type: type,
    password,
    ...(keys.length > 0 ? { ssh_keys: [...keys] } : {}),
    ...(on.length > 0 ? { access_settings: Object.fromEntries(on.map((flag) => [flag, true])) } : {}),
    ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}),
  }
}

function useNewDraft() {
  const api = useApi()
  const { data: types } = useSuspenseQuery(api.list('storage_box_types_list', {}))
  const { data: locations } = useSuspenseQuery(api.list('locations_list', {}))
  const { data: boxes } = useSuspenseQuery(api.list('storage_boxes_list', {}))
  return useState<Draft>(() => ({
    name: nextName(
      boxes.map((one) => one.name),
      'backups',
    ),
    location: locations[0]?.name ?? '',
    type: types[0]?.name ?? '',
    password: newPassword(),
    keys: [],
    moreKeys: '',
    access: begun,
    labels: {},
  }))
}

export function NewBoxPage() {
  const go = useGo()
  const [draft, setDraft] = useNewDraft()
  const [made, setMade] = useState<number>()
  const once = usePasswordOnce(() => made !== undefined && void go(linkTo('storage_boxes', 'one', { id: made })))
  const may = useReason('storage_boxes_create')
  const reason = may ?? (draft.name.trim() === '' ? w.nameMissing : faultOf(draft.password) && w.passwordMissing)
  const request: ApiRequest<'storage_boxes_create'> = { operation: 'storage_boxes_create', body: toBody(draft) }
  const { isBusy, cause, problems, send } = useRequest<'storage_boxes_create'>({
    request,
    families: ['storage_boxes'],
    done: ({ storage_box: { id, name } }) => {
      setMade(id)
      once.show({ name, password: draft.password })
    },
  })
  useUnsaved(useChanged(draft) && !isBusy && made === undefined)
  return (
    <>
      <PageHead
        title={w.create}
        crumbs={[{ label: w.title, link: linkTo('storage_boxes', 'list') }]}
        actions={<CommandsButton request={request} />}
      />
      <LongForm
        label={w.sections}
        asideLabel={w.summary}
        steps={stepsOf({ draft, problems, change: (part) => setDraft((old) => ({ ...old, ...part })) })}
        onSubmit={() => reason === undefined && made === undefined && send()}
        aside={
          <>
            <Card padded>
              <Summary draft={draft} />
              <Button type="submit" look="primary" wide isBusy={isBusy} reason={reason}>
                {w.create}
              </Button>
              {cause !== undefined && <FailureNote cause={cause} what={w.notCreated} />}
            </Card>
            {draft.name.trim() !== '' && <Equivalents request={request} />}
          </>
        }
      />
      {once.dialog}
    </>
  )
}

function Summary({ draft }: { readonly draft: Draft }) {
  const api = useApi()
  const { data: types } = useSuspenseQuery(api.list('storage_box_types_list', {}))
  const { currency } = useSuspenseQuery(api.query('pricing_get', {})).data.pricing
  const type = types.find((one) => one.name === draft.type)
  const cost = type && ratesIn(type.prices, draft.location)
  const keys = keysOf(draft).length
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
      <Facts
        rows={[
          [r.type, draft.type],
          [r.location, draft.location],
          ...(type
            ? ([
                [w.room, sizeText(type.size)],
                [w.limits, limitsOf(type)],
              ] as const)
            : []),
          [w.access, flagsText(boxFlags, draft.access) || <None key="none" />],
          [w.keys, keys === 0 ? <None key="none" /> : w.keyCount(keys)],
        ]}
      />
    </>
  )
}
