/** What needs somebody: what failed lately and what ends without a renewal. */

import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { commandName, failureText } from '../../lib/action-names.ts'
import type { Route } from '../../ui/link.tsx'
import type { Mood } from '../../ui/state.tsx'
import { overview as english } from '../../words/en/overview.ts'
import { ago, date } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { typesIn } from '../activity/entries.ts'
import { useNames } from '../activity/names.ts'
import { type Certificate, failureOf } from '../certificates/certificate.ts'
import type { Server } from '../servers/server.ts'
import { isRenewed } from './forecast.ts'

const w = wordsOf('overview', english)
const soonMs = 30 * 86_400_000
const latelyMs = 86_400_000

export interface Need {
  readonly key: string
  readonly mood: Mood
  readonly title: string
  readonly text: string
  readonly to: Route
  readonly params: Readonly<Record<string, string>>
}

/** Undefined until all that could need somebody is known. */
export function useNeeds(
  servers: readonly Server[],
  certificates: readonly Certificate[],
): readonly Need[] | undefined {
  const api = useApi()
  const project = { project: String(api.project) }
  const { data } = useQuery(
    api.query('audit_activity', { params: { project_id: api.project ?? 0 }, query: { per_page: 10 } }),
  )
  const nameOf = useNames(typesIn(data?.activity ?? []))
  if (!data) return undefined
  const now = Date.now()
  const ending = certificates.filter(
    (one) => one.not_valid_after && !isRenewed(one) && Date.parse(one.not_valid_after) - now < soonMs,
  )
  // What failed about a certificate that ends is said once.
  const isSaid = (resources: readonly { readonly type: string; readonly id: number }[]) =>
    resources.some(({ type, id }) => type === 'certificate' && ending.some((one) => one.id === id))
  const failed = data.activity.filter(
    ({ status, finished, resources }) =>
      status === 'error' && now - Date.parse(finished ?? '') < latelyMs && !isSaid(resources),
  )
  return [
    ...servers
      .filter(({ status }) => status === 'unknown')
      .map(
        ({ id, name }): Need => ({
          key: `server ${id}`,
          mood: 'bad',
          title: w.unknownState(name),
          text: '',
          to: '/projects/$project/servers/$id/{-$tab}',
          params: { ...project, id: String(id) },
        }),
      ),
    ...failed.map(({ id, command, error, finished, resources }): Need => {
      const server = servers.find((one) =>
        resources.some(({ id: other, type }) => type === 'server' && other === one.id),
      )
      return {
        key: `action ${id}`,
        mood: 'bad',
        title: w.failed(
          commandName(command),
          resources.map(({ type, id }) => nameOf(type, id)).find((name) => name) ?? '',
        ),
        text: `${error ? failureText(error) : ''} ${ago(finished ?? '')}`,
        to: server ? '/projects/$project/servers/$id/{-$tab}' : '/projects/$project/servers',
        params: server ? { ...project, id: String(server.id), tab: 'activity' } : project,
      }
    }),
    ...ending.map(
      (one): Need => ({
        key: `certificate ${one.id}`,
        mood: Date.parse(one.not_valid_after ?? '') - now < soonMs / 4 ? 'bad' : 'warn',
        title: w.certificate(one.name ?? '', date(one.not_valid_after ?? '', { day: 'numeric', month: 'long' })),
        text: one.type === 'managed' ? `${w.renewalFailed} ${failureOf(one)?.text ?? ''}` : w.certificateText,
        to: '/projects/$project/certificates/$id',
        params: { ...project, id: String(one.id) },
      }),
    ),
  ]
}
