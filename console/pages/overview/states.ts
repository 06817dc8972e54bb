/** The states of all that can fail in a Project, as needs of somebody. */
import { useQueries } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { states } from '../../generated/states.ts'
import type { Need, States } from '../shared/states.ts'
import { useFailures } from './failures.ts'

/** Nothing tells of the health of targets and of primaries as it changes. */
const everyMs = 30_000

const families: readonly (readonly [family: string, states: States<never>])[] = Object.entries(states).sort(
  ([, one], [, other]) => one.place - other.place,
)

/** The worst first. Before `isWhole`, not all states are known yet. */
export function useNeeds(): { readonly needs: readonly Need[]; readonly isWhole: boolean } {
  const api = useApi()
  const lists = useQueries({
    queries: families.map(([family, { isSilent = false }]) => ({
      ...api.list(`${family}_list` as 'servers_list', {}),
      ...(isSilent ? { refetchInterval: everyMs } : {}),
    })),
    combine: (replies) => replies.map(({ data }) => data),
  })
  const known = families.map(([family, own], index) => ({
    family,
    own,
    rows: lists[index] as readonly never[] | undefined,
  }))
  const failures = useFailures(Object.fromEntries(known.map(({ family, rows }) => [family, rows])))
  const ofStates = known.flatMap(({ own, rows = [] }) => rows.flatMap((row) => own.needsOf(row)))
  return {
    needs: [...ofStates, ...(failures ?? [])].sort(
      (one, other) => Number(other.mood === 'bad') - Number(one.mood === 'bad'),
    ),
    isWhole:
      failures !== undefined &&
      known.every(({ own, rows }) => rows && !rows.some((row) => own.isUnknown?.(row) ?? false)),
  }
}
