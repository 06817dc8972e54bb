/** The states of all that can fail in a Project, as needs of somebody. */
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import type { FloatingIp } from '../../families/addresses/address.ts'
import { type Certificate, failureOf, outlookOf } from '../../families/certificates/certificate.ts'
import type { Balancer } from '../../families/load-balancers/balancer.ts'
import { healthOf, serviceText } from '../../families/load-balancers/health.ts'
import type { Server } from '../../families/servers/server.ts'
import { delegationOf, type Zone } from '../../families/zones/zone.ts'
import { type Family, families } from '../../families.ts'
import type { Target } from '../../ui/link.tsx'
import type { Mood } from '../../ui/state.tsx'
import { number } from '../../words/format.ts'
import { overview as w } from '../../words/overview.ts'
import { useFailures } from './failures.ts'

/** Nothing tells of the health of targets and of primaries as it changes. */
const everyMs = 30_000

export interface Need {
  readonly key: string
  readonly mood: Mood
  readonly title: string
  readonly text: string
  readonly link: Target
}

/** The worst first. Before `isWhole`, not all states are known yet. */
export function useNeeds(): { readonly needs: readonly Need[]; readonly isWhole: boolean } {
  const api = useApi()
  const again = { refetchInterval: everyMs }
  const { data: servers } = useQuery(api.list('servers_list', {}))
  const { data: certificates } = useQuery(api.list('certificates_list', {}))
  const { data: balancers } = useQuery({ ...api.list('load_balancers_list', {}), ...again })
  const { data: zones } = useQuery({ ...api.list('zones_list', {}), ...again })
  const { data: floatingIps } = useQuery(api.list('floating_ips_list', {}))
  const { data: primaryIps } = useQuery(api.list('primary_ips_list', {}))
  const lists = {
    servers,
    certificates,
    load_balancers: balancers,
    zones,
    floating_ips: floatingIps,
    primary_ips: primaryIps,
  }
  const failures = useFailures(lists)
  const project = String(api.project)
  const needs = [
    ...(servers ?? []).flatMap((one) => ofServer(one, project)),
    ...(certificates ?? []).flatMap((one) => ofCertificate(one, project)),
    ...(balancers ?? []).flatMap((one) => ofBalancer(one, project)),
    ...(zones ?? []).flatMap((one) => ofZone(one, project)),
    ...(floatingIps ?? []).flatMap((one) => ofAddress(one, '/projects/$project/floating-ips', project)),
    ...(primaryIps ?? []).flatMap((one) => ofAddress(one, '/projects/$project/primary-ips', project)),
    ...(failures ?? []),
  ]
  return {
    needs: needs.toSorted((one, other) => Number(other.mood === 'bad') - Number(one.mood === 'bad')),
    isWhole:
      failures !== undefined &&
      Object.values(lists).every((list) => list !== undefined) &&
      !(balancers ?? []).some(isUnchecked),
  }
}

/** Things of different kinds have the same names. */
function of(family: Family, text: string): string {
  return [families[family].label, text].filter(Boolean).join(' · ')
}

function ofServer({ id, name, status }: Server, project: string): Need[] {
  if (status !== 'unknown') return []
  const link = { to: '/projects/$project/servers/$id/{-$tab}', params: { project, id: String(id) } } as const
  return [{ key: `server ${id}`, mood: 'bad', title: w.unknownState(name), text: of('servers', ''), link }]
}

function ofCertificate(certificate: Certificate, project: string): Need[] {
  const { id, name } = certificate
  const { mood, text, next = '' } = outlookOf(certificate)
  if (mood !== 'bad' && mood !== 'warn') return []
  const link = { to: '/projects/$project/certificates/$id', params: { project, id: String(id) } } as const
  const why = [next, failureOf(certificate)?.text ?? ''].filter(Boolean).join(': ')
  return [{ key: `certificate ${id}`, mood, title: `${name ?? ''}: ${text}`, text: of('certificates', why), link }]
}

/** Whether the health of some targets is not known, as when the data plane does not answer. */
function isUnchecked({ targets }: Balancer): boolean {
  return healthOf(targets).some(({ status }) => status === 'unknown')
}

/** Services of which some targets do not answer, or all, or that have none because no server matches. */
function ofBalancer({ id, name, services, targets }: Balancer, project: string): Need[] {
  const health = healthOf(targets)
  const link = {
    to: '/projects/$project/load-balancers/$id/{-$tab}',
    params: { project, id: String(id), tab: 'targets' },
  } as const
  if (services.length > 0 && targets.length > 0 && health.length === 0)
    return [
      {
        key: `balancer ${id}`,
        mood: 'warn',
        title: `${name}: ${w.noTargets}`,
        text: of('load_balancers', w.noMatch),
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
        text: of('load_balancers', serviceText(service)),
        link,
      },
    ]
  })
  return failing
}

/** Copies whose primaries were not heard for too long, and delegations that lead elsewhere or nowhere. */
function ofZone(zone: Zone, project: string): Need[] {
  const { name, status } = zone
  const { mood, text, advice } = delegationOf(zone)
  const link = {
    to: '/projects/$project/zones/$zone/{-$tab}',
    params: { project, zone: name, tab: 'settings' },
  } as const
  const key = `zone ${zone.id}`
  return [
    ...(status === 'error'
      ? [{ key, mood: 'bad', title: w.zoneStale(name), text: of('zones', w.zoneStaleText), link } as const]
      : []),
    ...(mood === 'bad' || mood === 'warn'
      ? [{ key: `${key} delegation`, mood, title: `${name}: ${text}`, text: of('zones', advice), link }]
      : []),
  ]
}

function ofAddress(
  { id, name, ip, blocked }: Pick<FloatingIp, 'id' | 'name' | 'ip' | 'blocked'>,
  to: '/projects/$project/floating-ips' | '/projects/$project/primary-ips',
  project: string,
): Need[] {
  if (!blocked) return []
  return [
    {
      key: `${to} ${id}`,
      mood: 'bad',
      title: w.blocked(name),
      text: ip,
      link: { to, params: { project }, search: { q: name } },
    },
  ]
}
