/** Names services without words, for pages that have none of Load Balancers. */
import type { Service } from './balancer.ts'

/** Returns where a service listens and sends to: `http 80 → 8080`. */
export function serviceText({ protocol, listen_port, destination_port }: Service): string {
  return `${protocol} ${listen_port} → ${destination_port}`
}
