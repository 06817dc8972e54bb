/** A new Storage Box, with what it costs. Its password is shown once when it is made. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { linkTo } from '../../families.ts'
import { nextName } from '../../lib/names.ts'
import { LongFormPage } from '../../pages/shared/long-form-page.tsx'
import { type Password, PasswordsDialog } from '../../pages/shared/passwords-dialog.tsx'
import { useRequest } from '../../pages/shared/submit.ts'
import { TypePrice } from '../../pages/shared/type-parts.tsx'
import { useReason } from '../../shell/may.ts'
import { Facts } from '../../ui/card.tsx'
import { useGo } from '../../ui/link.tsx'
import { None } from '../../ui/tag.tsx'
import { resources as r } from '../../words/resources.ts'
import { boxFlags, flagsText } from './flags.tsx'
import { type Draft, keysOf, limitsOf, stepsOf } from './new-steps.tsx'
import { faultOf, newPassword } from './password.ts'
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
  const [made, setMade] = useState<{ readonly id: number } & Password>()
  const may = useReason('storage_boxes_create')
  const reason = may ?? (draft.name.trim() === '' ? r.nameMissing : faultOf(draft.password) && w.passwordMissing)
  const request: ApiRequest<'storage_boxes_create'> = { operation: 'storage_boxes_create', body: toBody(draft) }
  const form = useRequest<'storage_boxes_create'>({
    request,
    families: ['storage_boxes'],
    done: ({ storage_box: { id, name } }) => setMade({ id, name, password: draft.password }),
  })
  return (
    <>
      <LongFormPage
        act={w.create}
        list={{ label: w.title, link: linkTo('storage_boxes', 'list') }}
        steps={stepsOf({
          draft,
          problems: form.problems,
          change: (part) => setDraft((old) => ({ ...old, ...part })),
        })}
        summary={<Summary draft={draft} />}
        {...{ form, request, reason }}
        isNamed={draft.name.trim() !== ''}
        isMade={made !== undefined}
        notCreated={w.notCreated}
      />
      {made && (
        <PasswordsDialog
          title={w.passwordOf(made.name)}
          passwords={[made]}
          onClose={() => void go(linkTo('storage_boxes', 'one', { id: made.id }))}
        />
      )}
    </>
  )
}

function Summary({ draft }: { readonly draft: Draft }) {
  const { data: types } = useSuspenseQuery(useApi().list('storage_box_types_list', {}))
  const type = types.find((one) => one.name === draft.type)
  const keys = keysOf(draft).length
  const ofType: [string, string][] = type
    ? [
        [w.room, sizeText(type.size)],
        [w.limits, limitsOf(type)],
      ]
    : []
  return (
    <>
      <TypePrice type={type} location={draft.location} />
      <Facts
        rows={[
          [r.type, draft.type],
          [r.location, draft.location],
          ...ofType,
          [w.access, flagsText(boxFlags, draft.access) || <None key="none" />],
          [w.keys, keys === 0 ? <None key="none" /> : w.keyCount(keys)],
        ]}
      />
    </>
  )
}
