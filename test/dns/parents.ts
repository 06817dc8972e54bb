/** Knot with zones above those of Wolke, and Unbound that finds them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askingParents } from '../../src/drivers/resolver/parents.ts'
import type { ZonesDriver } from '../../src/families/zones/driver.ts'
import { findProgram } from '../clients/kit/clients.ts'
import type { Place } from './client.ts'
import { start } from './secondaries/programs.ts'

export const missingParents = ['knotd', 'unbound'].filter((name) => !findProgram(name))

/** The address of Knot; that of Wolke is 127.0.0.1, at the same port. Nobody listens at 127.0.0.9. */
export const above = '127.0.0.2'

/** Zones by their names, as files. */
type Zones = Readonly<Record<string, string>>

export const head = (server: string) => `$TTL 60\n@ SOA ${server} hostmaster.lab. 1 3600 600 86400 60\n@ NS ${server}\n`

/** Knot, which can be given other contents of its zones. */
export interface Above {
  write(zones: Zones): void
}

async function startKnot(folder: string, port: number, zones: Zones) {
  mkdirSync(join(folder, 'db'))
  writeZones(folder, zones)
  const file = join(folder, 'knot.conf')
  const listed = Object.keys(zones).map((name) => `  - domain: ${name}\n    file: ${folder}/${name}.zone\n`)
  writeFileSync(
    file,
    `log:\n  - target: stdout\n    any: info\nserver:\n  listen: ${above}@${port}\n  rundir: ${folder}\ndatabase:\n  storage: ${folder}/db\nzone:\n${listed.join('')}`,
  )
  return start('knotd', () => ['-c', file], /server started/)
}

async function startUnbound(folder: string, at: number, zones: Zones) {
  const file = join(folder, 'unbound.conf')
  const stubs = Object.keys(zones).map((name) => `stub-zone:\n  name: "${name}"\n  stub-addr: ${above}@${at}\n`)
  const options = (port: number) =>
    `# Unbound\nserver:\n  interface: 127.0.0.1@${port}\n  do-ip6: no\n  username: ""\n  chroot: ""\n  directory: "${folder}"\n  pidfile: ""\n  use-syslog: no\n  do-not-query-localhost: no\n  module-config: "iterator"\n  verbosity: 1\n`
  return start(
    'unbound',
    (port) => {
      writeFileSync(file, options(port) + stubs.join(''))
      return ['-d', '-c', file]
    },
    /start of service/,
  )
}

function writeZones(folder: string, zones: Zones): void {
  for (const [name, text] of Object.entries(zones)) writeFileSync(join(folder, `${name}.zone`), text)
}

/** Runs `work` with a driver that asks these name servers; they end with it. */
export async function withParents(
  { port }: Place,
  zones: Zones,
  work: (driver: ZonesDriver, parent: Above) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-parents-'))
  const stops: (() => Promise<void>)[] = []
  try {
    const knot = await startKnot(folder, port, zones)
    stops.push(knot.stop)
    const resolver = await startUnbound(folder, port, zones)
    stops.push(resolver.stop)
    const write = (changed: Zones) => {
      writeZones(folder, changed)
      knot.reload()
    }
    await work(askingParents({ resolver: `127.0.0.1:${resolver.port}`, port }), { write })
  } finally {
    for (const stop of stops) await stop()
    rmSync(folder, { recursive: true })
  }
}
