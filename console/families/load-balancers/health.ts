/** How targets are, and what services are called; without words, for pages that have none of Load Balancers. */
import type { Health, Service, Target } from './balancer.ts'

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

/** Where a service listens and sends to: `http 80 → 8080`. */
export function serviceText({ protocol, listen_port, destination_port }: Service): string {
  return `${protocol} ${listen_port} → ${destination_port}`
}
