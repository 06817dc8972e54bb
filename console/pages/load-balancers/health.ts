/** How targets are, and what services are called; without words, for pages that have none of Load Balancers. */
import type { Health, Service, Target } from './balancer.ts'

/** The health of everything that a target stands for. */
export function healthOf({ health_status = [], targets = [] }: Target): readonly Health[] {
  return [...health_status, ...targets.flatMap((one) => one.health_status)]
}

/** Where a service listens and sends to: `http 80 → 8080`. */
export function serviceText({ protocol, listen_port, destination_port }: Service): string {
  return `${protocol} ${listen_port} → ${destination_port}`
}
