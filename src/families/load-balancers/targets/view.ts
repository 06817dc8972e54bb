/** Targets of Load Balancers as the API shows them, with their health. */
import type { Static } from 'typebox'
import { type AtOnce, after } from '../../../kernel/process/at-once.ts'
import { mapInTurns } from '../../../kernel/process/turns.ts'
import type { LoadBalancer } from '../domain.ts'
import type { Health, Observation } from '../driver.ts'
import type { Target as Wire } from './contract.ts'
import type { ServerAddress } from './desired.ts'
import { goesPrivate, type ResolvedTarget } from './domain.ts'

type TargetWire = Static<typeof Wire>
type HealthWire = TargetWire['health_status'] & {}

/** What is known of the targets of one Load Balancer. */
interface Known {
  /** The network that it is in. */
  readonly network: number | null
  readonly addressOf: ServerAddress
  readonly seen: Observation | undefined
}

/** What a Load Balancer shows of its targets. */
export function targetsToWire(
  { services }: Pick<LoadBalancer, 'services'>,
  targets: readonly ResolvedTarget[],
  { network, addressOf, seen }: Known,
): AtOnce<TargetWire[]> {
  const healthBy = new Map(seen?.health.map(({ listenPort, address, health }) => [`${listenPort} ${address}`, health]))
  const healthAt = (address: string | undefined) =>
    services.map(({ listenPort }) => ({
      listen_port: listenPort,
      ...healthToWire(healthBy.get(`${listenPort} ${address}`) ?? { status: 'unknown' }),
    }))
  const shown = targets.filter(({ status }) => status !== 'removing')
  return mapInTurns(shown, (target) =>
    targetToWire(target, healthAt, (id) => addressOf(id, goesPrivate(target) ? network : null)),
  )
}

function targetToWire(
  { serverId, selector, ip, usesPrivateIp, matched }: ResolvedTarget,
  healthAt: (address: string | undefined) => HealthWire,
  addressOf: (server: number) => string | undefined,
): AtOnce<TargetWire> {
  if (ip !== null) return { type: 'ip', ip: { ip }, health_status: healthAt(ip) }
  const show = (id: number) =>
    ({
      type: 'server',
      server: { id },
      health_status: healthAt(addressOf(id)),
      use_private_ip: usesPrivateIp,
    }) as const
  if (serverId !== null) return show(serverId)
  return after(mapInTurns(matched, show), (targets) => ({
    type: 'label_selector' as const,
    label_selector: { selector: selector as string },
    use_private_ip: usesPrivateIp,
    targets,
  }))
}

function healthToWire(health: Health): Omit<HealthWire[number], 'listen_port'> {
  if (health.status !== 'unhealthy') return health
  const { status, detail, httpStatusCode } = health
  return { status, detail, ...(httpStatusCode === null ? {} : { http_status_code: httpStatusCode }) }
}
