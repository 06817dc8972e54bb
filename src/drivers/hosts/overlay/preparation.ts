/** Every installation needs this of OVN: the gateway of the public network, and the address of the metadata service. */
import { DriverError } from '../../../kernel/actions/define.ts'
import { carryOut } from '../../../protocols/ovsdb/change.ts'
import { atomsOf, called, idsOf, map, marked, uuid } from '../../../protocols/ovsdb/rows.ts'
import { type Logical, sourceSet } from './logical.ts'
import type { NorthboundChange, NorthboundRow } from './northbound.ts'
import type { Site } from './site.ts'
import { metadataAddress } from './sources/guards.ts'
import { gatewayAddress } from './sources/public-guard.ts'

const gatewayNetwork = `${gatewayAddress}/64`

/**
 * Asserts it; repeating it changes nothing. `metadata` is where the service listens, null when it does not. Errors: a
 * `DriverError` when the public network is not there, or not as Incus makes it.
 */
export async function prepare(site: Site, metadata: string | null): Promise<void> {
  await carryOut(site.database, async (change) => {
    const logical = await site.public()
    await checkSources(site, logical)
    if (!logical.routerNetworks.includes(gatewayNetwork)) {
      change.amend('Logical_Router_Port', logical.routerPort, 'networks', 'insert', [gatewayNetwork])
    }
    await putBalancer(site, change, logical, metadata)
  })
}

/**
 * Asserts the same again whenever somebody takes the gateway of the public network away, as Incus does when a setting of the
 * network is changed. Errors: a transient `DriverError` when the database cannot be reached; later ones are logged.
 */
export async function keepPrepared(site: Site, metadata: string | null, log: Log | undefined): Promise<void> {
  const { routerPort } = await site.public()
  const isBare = (row: Pick<NorthboundRow<'Logical_Router_Port'>, 'name' | 'networks'> | null) =>
    row?.name === routerPort && !atomsOf(row.networks).includes(gatewayNetwork)
  await site.database.follow({
    table: 'Logical_Router_Port',
    columns: ['name', 'networks'],
    take(changes) {
      if (![...changes.values()].some(isBare)) return
      prepare(site, metadata).catch((error: unknown) => log?.('the public network cannot be prepared', error))
    },
  })
}

type Log = (message: string, error?: unknown) => void

/** Public addresses pass the router as sources only because they are added to what Incus knows. */
async function checkSources({ database }: Site, logical: Logical): Promise<void> {
  for (const address of ['0.0.0.0', '::']) {
    const name = sourceSet(logical.router, address)
    const [found] = await database.select('Address_Set', [called(name)], ['name'])
    if (!found) throw new DriverError(`OVN has no set of sources ${name}`, { transient: true })
  }
}

/** Requests for metadata keep their source on the way to the service: it knows servers by it. */
async function putBalancer(
  site: Site,
  change: NorthboundChange,
  logical: Logical,
  metadata: string | null,
): Promise<void> {
  const ours = [marked({ wolke: 'metadata' })]
  const found = await site.database.select('Load_Balancer', ours, ['_uuid', 'vips'])
  const [attached] = await site.database.select('Logical_Switch', [called(logical.switch)], ['load_balancer'])
  const ids = found.flatMap((row) => idsOf(row._uuid))
  const vips = map(metadata === null ? {} : { [`${metadataAddress}:80`]: metadata })
  const wanted = metadata === null ? 0 : 1
  const isThere = ids.length === wanted && ids.every((id) => idsOf(attached?.load_balancer).includes(id))
  if (isThere && found.every((row) => JSON.stringify(row.vips) === JSON.stringify(vips))) return
  // Names of balancers are not unique: only whoever finds the same ones may write.
  const rows = ids.map((id) => ({ _uuid: uuid(id) }))
  change.expect('Load_Balancer', ours, ['_uuid'], rows)
  change.amend('Logical_Switch', logical.switch, 'load_balancer', 'delete', ids.map(uuid))
  change.delete('Load_Balancer', ours)
  if (metadata === null) return
  const marks = map({ wolke: 'metadata' })
  const balancer = change.insert('Load_Balancer', {
    name: 'wolke-metadata',
    protocol: 'tcp',
    vips,
    external_ids: marks,
  })
  change.amend('Logical_Switch', logical.switch, 'load_balancer', 'insert', [balancer])
}
