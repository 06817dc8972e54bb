/** A rule as the API shows it. */
import type { Direction, Protocol } from '../../../src/families/firewalls/domain.ts'

export interface Rule {
  readonly direction: Direction
  readonly protocol: Protocol
  readonly port: string | null
  readonly source_ips: readonly string[]
  readonly destination_ips: readonly string[]
  readonly description: string | null
}

/** All addresses of both versions: everybody. */
export const internet = ['0.0.0.0/0', '::/0'] as const
