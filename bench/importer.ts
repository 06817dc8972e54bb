/**
 * Imports zone files concurrently when told to, in a process of its own so that it does not disturb the measurement.
 */
import { publicBase } from '../src/kernel/contract/bases.ts'
import { call } from './client.ts'

export interface Imports {
  readonly url: string
  /** Existing zones to import into. */
  readonly zones: readonly string[]
  /** Number of records in each file. */
  readonly records: number
  readonly nameservers: string
}

process.on('message', async (job: Imports) => process.send?.(await attempt(job)))
// Without the parent process nobody would stop the import.
process.on('disconnect', () => process.exit())

async function attempt(job: Imports): Promise<{ error?: string }> {
  try {
    await importAll(job)
    return {}
  } catch (error) {
    return { error: String(error) }
  }
}

async function importAll({ url, zones, records, nameservers }: Imports): Promise<void> {
  const lines = Array.from({ length: records }, (_, i) => `host-${i} A 192.0.2.${i % 250}`)
  const zonefile = `${nameservers}${lines.join('\n')}\n`
  await Promise.all(
    zones.map((zone) => call('POST', `${url}${publicBase}/zones/${zone}/actions/import_zonefile`, { zonefile })),
  )
}
