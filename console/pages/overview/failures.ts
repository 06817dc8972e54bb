/** Actions that failed within a day and whose failure stands: nobody did the same with success since, or deleted it. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { familyOf } from '../../api/operations.ts'
import { families, familyOfType, pageOf } from '../../families.ts'
import { states } from '../../generated/states.ts'
import { failureText } from '../../lib/action-failures.ts'
import { commandName } from '../../lib/action-names.ts'
import type { Target } from '../../ui/link.tsx'
import { ago } from '../../words/format.ts'
import { overview as w } from '../../words/overview.ts'
import { type Action, typesIn } from '../activity/entries.ts'
import { type NameOf, useNames } from '../activity/names.ts'
import type { Need, States } from '../shared/states.ts'

const latelyMs = 86_400_000
/** What is older by this much more is asked for as well, so that the question stays the same for a while. */
const stepMs = 3_600_000
const most = 50

const ofFamilies: Readonly<Record<string, States<never>>> = states

type Ref = Action['resources'][number]
/** The resources of each family now, as far as they are known. */
type Lists = Readonly<Record<string, readonly { readonly id: number }[] | undefined>>

/** Undefined until it is known. */
export function useFailures(lists: Lists): readonly Need[] | undefined {
  const api = useApi()
  const params = { project_id: api.project ?? 0 }
  const [since] = useState(() => new Date(Math.floor(Date.now() / stepMs) * stepMs - latelyMs).toISOString())
  const query = { standing: true, since, per_page: most } as const
  const { data } = useQuery(api.query('audit_activity', { params, query }))
  const failed = data?.activity.filter((action) => isNeed(action, lists))
  const nameOf = useNames(typesIn(failed ?? []))
  return failed?.map((action) => needOf(action, nameOf))
}

/** Some families tell of failures by their state, and of what is gone nobody wants to know why it failed. */
function isNeed({ family, command, resources }: Action, lists: Lists): boolean {
  const isGone = ({ type, id }: Ref) => lists[familyOf(type)]?.every((one) => one.id !== id) ?? false
  return !ofFamilies[family]?.tellsFailures && (command.startsWith('create_') || !resources.some(isGone))
}

function needOf({ id, command, error, finished, resources }: Action, nameOf: NameOf): Need {
  const [subject] = resources
  return {
    key: `action ${id}`,
    mood: 'bad',
    title: w.failed(
      commandName(command),
      resources.map(({ type, id }) => nameOf(type, id) ?? '').find((name) => name !== '') ?? '',
    ),
    text: `${error ? failureText(error) : ''} ${ago(finished ?? '')}`,
    link: placeOf(subject, nameOf),
  }
}

/** The page of a resource where it has one, else its list, else what happened. */
function placeOf(subject: Ref | undefined, nameOf: NameOf): Target {
  const family = subject && familyOfType(subject.type)
  if (!subject || !family) return { to: '/projects/$project/activity' }
  const { pages, isKnownByName } = families[family]
  const name = nameOf(subject.type, subject.id)
  if (!pages.one || name === undefined) return { to: pages.list }
  return pageOf(family, { id: subject.id, name }, isKnownByName ? undefined : 'activity')
}
