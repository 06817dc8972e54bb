/** Says what HAProxy's checks mean for the health of targets. */
import type { Health, TargetHealth, UnhealthyDetail } from '../../../families/load-balancers/driver.ts'
import { contentLabel } from './configuration/configuration.ts'
import type { CheckRow } from './statistics.ts'

/** Why targets were unhealthy when it was last known, by service and address. */
export type KnownFailures = Readonly<Record<string, Unhealthy>>

type Unhealthy = Extract<Health, { status: 'unhealthy' }>

const keyOf = ({ listenPort, address }: CheckRow) => `${listenPort} ${address}`

/** The health of all targets. What a reload has lost is taken from the failures that were known before. */
export function healthOfAll(rows: readonly CheckRow[], known: KnownFailures): TargetHealth[] {
  return rows.map((row) => ({
    listenPort: row.listenPort,
    address: row.address,
    health: healthOf(row, known[keyOf(row)]),
  }))
}

/** Why targets are unhealthy, to be remembered beyond a reload. */
export function failuresAmong(rows: readonly CheckRow[], known: KnownFailures): KnownFailures {
  const entries = rows.flatMap((row): [string, Unhealthy][] => {
    const health = healthOf(row, known[keyOf(row)])
    return health.status === 'unhealthy' ? [[keyOf(row), health]] : []
  })
  return Object.fromEntries(entries)
}

/** A target that comes up keeps its last failure until it is up, as does one whose failure a reload has lost. */
function healthOf(row: CheckRow, known: Unhealthy | undefined): Health {
  if (row.check === '' || row.check === 'INI' || row.check === 'UNK') return { status: 'unknown' }
  if (!row.status.startsWith('DOWN')) return { status: 'healthy' }
  return failureOf(row) ?? known ?? unhealthy('unspecified')
}

const unhealthy = (detail: UnhealthyDetail, httpStatusCode: number | null = null): Unhealthy => ({
  status: 'unhealthy',
  detail,
  httpStatusCode,
})

/** Why the last check failed; undefined when it succeeded, or when a reload has lost the reason. */
function failureOf({ check, code, message }: CheckRow): Unhealthy | undefined {
  switch (check) {
    case 'L4CON':
      return unhealthy('layer4_no_connection')
    case 'L4TOUT':
      return unhealthy('layer4_timeout')
    case 'L7TOUT':
      return unhealthy('layer7_timeout')
    case 'L7STS':
      if (message.includes(contentLabel)) return unhealthy('unexpected_http_content')
      return code === null ? undefined : unhealthy('unexpected_http_status', code)
    case 'L4OK':
    case 'L6OK':
    case 'L7OK':
    case 'L7OKC':
      return undefined
    default:
      return unhealthy('unspecified')
  }
}
