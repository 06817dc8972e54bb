/** The hits of the palette: pages, what can be done, Projects, settings, and resources by their names. */

import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { type ReplyKey, useApi } from '../api/api.ts'
import { lackOf, projectsQuery, useProject, whoamiQuery } from '../api/session.ts'
import { type Family, families } from '../families.ts'
import { useGo } from '../ui/link.tsx'
import { palette as w } from '../words/palette.ts'
import { lackText } from './may.ts'
import { paletteActs } from './palette-acts.ts'
import type { Hit } from './palette-hit.ts'
import { accountHits, adminHits, createHits, pageHits, projectHits, settingHits } from './palette-places.ts'
import { linksIn, linksOf, type ResourceLink } from './resource-links.ts'

const mostShown = 60
/** Names are looked for once somebody has stopped typing. */
const pauseMs = 150

/** `isKnown` is false while names are still looked for, or when they could not be. */
export function useHits(text: string): { readonly hits: readonly Hit[]; readonly isKnown: boolean } {
  const asked = text.trim()
  const places = usePlaces()
  const { links, isKnown } = useLinks(asked)
  const hits = useMemo(() => {
    const resources = links.map((one) => ({
      key: `${one.family} ${one.id}`,
      group: w.resources,
      label: one.name,
      aside: one.kind,
      icon: one.icon,
      act: () => places.go(one),
    }))
    // Before anything is typed there is what one can do.
    return fitting(asked === '' ? places.hits : [...places.hits, ...resources], asked)
  }, [places, links, asked])
  return { hits, isKnown }
}

function fitting(all: readonly Hit[], text: string): readonly Hit[] {
  const wanted = text.toLowerCase()
  const byKey = new Map(all.map((hit) => [hit.key, hit]))
  return [...byKey.values()]
    .filter(({ label, aside = '' }) => `${label} ${aside}`.toLowerCase().includes(wanted))
    .slice(0, mostShown)
}

/** Returns the hits that need no name, read once, when the palette opens. */
function usePlaces() {
  const go = useGo()
  const project = useProject()
  const { data: { whoami } = {} } = useQuery(whoamiQuery)
  const { data: projects } = useQuery(projectsQuery)
  return useMemo(() => {
    const reasonOf = (family: Family) => lackText(lackOf(`${family}_create` as never, project, whoami))
    const hits = [
      ...(project ? pageHits(go) : []),
      ...paletteActs().map((act): Hit => ({ ...act, group: w.actions })),
      ...(project ? createHits(go, reasonOf) : []),
      ...projectHits(projects ?? [], project?.id, go),
      ...accountHits(whoami, go),
      ...adminHits(whoami, go),
      ...settingHits(),
    ]
    return { hits, go: (link: ResourceLink) => void go(link) }
  }, [go, project, whoami, projects])
}

/** Resources of the open Project: those that pages have read, and those that have exactly the name. */
function useLinks(text: string): { readonly links: readonly ResourceLink[]; readonly isKnown: boolean } {
  const api = useApi()
  const cache = useQueryClient()
  const name = useSettled(text)
  const isOn = api.project !== undefined && name !== ''
  const found = useQueries({
    queries: (isOn ? (Object.keys(families) as Family[]) : []).map((family) => ({
      ...api.query(`${family}_list`, { query: { name } } as never),
      retry: false,
    })),
    combine: (replies) => ({
      isKnown: replies.every(({ isSuccess }) => isSuccess),
      rows: replies.map(({ data }) => data),
    }),
  })
  const links = useMemo(() => {
    if (api.project === undefined) return []
    const cached = cache
      .getQueryCache()
      .getAll()
      .filter(({ queryKey }) => (queryKey as unknown as ReplyKey)[0] === api.project)
      .flatMap(({ queryKey, state }) => linksOf((queryKey as unknown as ReplyKey)[1], state.data))
    const asked = (Object.keys(families) as Family[]).flatMap((family, index) => linksIn(family, found.rows[index]))
    return [...cached, ...asked]
  }, [api.project, cache, found])
  return { links, isKnown: api.project === undefined || (name === text && found.isKnown) }
}

/** A value that has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, settle] = useState('')
  useEffect(() => {
    const timer = setTimeout(settle, pauseMs, value)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
