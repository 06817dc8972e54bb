/** Load Balancers need somebody whose targets are not healthy. */
import { linkTo } from '../../families.ts'
import { type Need, type States, withKind } from '../../pages/shared/states.ts'
import { number } from '../../words/format.ts'
import { overview as w } from '../../words/overview.ts'
import type { Balancer } from './balancer.ts'
import { healthOf } from './balancer.ts'
import { serviceText } from './health.ts'

/** Tells whether the health of some targets is unknown, as when the data plane does not answer. */
function isUnchecked({ targets }: Balancer): boolean {
  return healthOf(targets).some(({ status }) => status === 'unknown')
}

/** Services of which some targets do not answer, or all, or that have none because no server matches. */
function ofBalancer({ id, name, services, targets }: Balancer): Need[] {
  const health = healthOf(targets)
  const link = linkTo('load_balancers', 'one', { id, tab: 'targets' })
  if (services.length > 0 && targets.length > 0 && health.length === 0)
    return [
      {
        key: `balancer ${id}`,
        mood: 'warn',
        title: `${name}: ${w.noTargets}`,
        text: withKind('load_balancers', w.noMatch),
        link,
      },
    ]
  const failing = services.flatMap((service): Need[] => {
    const own = health.filter(({ listen_port: port }) => port === service.listen_port)
    const healthy = own.filter(({ status }) => status === 'healthy').length
    if (!own.some(({ status }) => status === 'unhealthy')) return []
    return [
      {
        key: `balancer ${id} ${service.listen_port}`,
        mood: healthy === 0 ? 'bad' : 'warn',
        title: `${name}: ${w.healthyOf(number(healthy), number(own.length))}`,
        text: withKind('load_balancers', serviceText(service)),
        link,
      },
    ]
  })
  return failing
}

export const states: States<Balancer> = {
  place: 3,
  needsOf: ofBalancer,
  isSilent: true,
  isUnknown: isUnchecked,
}
