/** The types that the pages of Load Balancers share, and how healthy targets are. */
import type { ItemOf } from '../../api/api.ts'
import type { BodyFor } from '../../api/operations.ts'
import type { ActsOptions } from '../../pages/shared/act.ts'
import type { Mood } from '../../ui/state.tsx'
import { balancers as w } from './words.ts'

export type Balancer = ItemOf<'load_balancers_list'>
export type Service = Balancer['services'][number]
export type Target = Balancer['targets'][number]
export type Health = NonNullable<Target['health_status']>[number]
export type NewService = BodyFor<'load_balancers_addService'>
export type NewTarget = BodyFor<'load_balancers_addTarget'>

export const balancerActs: ActsOptions<Balancer> = { family: 'load_balancers', lost: w.lost, losesData: true }

export function moodOf(health: readonly Health[]): Mood {
  if (health.length === 0) return 'unknown'
  if (health.every(({ status }) => status === 'healthy')) return 'ok'
  if (health.every(({ status }) => status === 'unhealthy')) return 'bad'
  return health.some(({ status }) => status === 'unhealthy') ? 'warn' : 'unknown'
}

/** Counts the checks of all servers and addresses that succeed. */
export function summaryOf(balancer: Pick<Balancer, 'targets'>): {
  readonly healthy: number
  readonly all: number
  readonly mood: Mood
} {
  const health = healthOf(balancer.targets)
  const healthy = health.filter(({ status }) => status === 'healthy').length
  return { healthy, all: health.length, mood: health.length === 0 ? 'off' : moodOf(health) }
}

/** The health of everything that targets stand for, each server and address once, whatever names it. */
export function healthOf(targets: readonly Target[]): readonly Health[] {
  const places = targets.flatMap((target) => target.targets ?? [target])
  const byPlace = new Map(
    places.map((place) => [
      `${place.server?.id ?? ('ip' in place && place.ip?.ip)} ${place.use_private_ip}`,
      place.health_status ?? [],
    ]),
  )
  return [...byPlace.values()].flat()
}
