/** Starts clouds in the process of who uses the library. It takes no signal and reads no environment. */
import { openMigrated } from '../commands/database.ts'
import { openListeners } from '../commands/listening.ts'
import { readOptionFiles } from '../commands/options.ts'
import { assemble } from '../commands/serve.ts'
import type { Config } from '../config/config.ts'
import { publicBase } from '../kernel/contract/bases.ts'
import { parseDatabaseUrl } from '../kernel/data/dialect.ts'
import { openLog } from '../kernel/process/log.ts'
import { cloudAt, type Found } from './cloud.ts'
import { type CloudConfig, configOf, readCloudOptions } from './options.ts'
import type { Wolke, WolkeOptions } from './wolke.ts'

/** A cloud without a socket is at a name that no resolver knows. */
const nowhere = `http://wolke.invalid${publicBase}`

type Ways = Pick<WolkeOptions, 'listen' | 'dns' | 'metadata' | 'log' | 'seed'>

/** Errors: `TypeError` that names the option, and those of sockets. */
export async function start(options: WolkeOptions): Promise<Wolke> {
  const { listen, dns, metadata, log, seed, ...given } = options
  const file = typeof seed === 'object' ? {} : { seed }
  return startConfigured(readCloudOptions({ ...given, ...file }), options)
}

/** The same with options as a command has them. */
export async function startConfigured(
  given: CloudConfig,
  { listen = true, dns = false, metadata = false, log, seed }: Ways = {},
): Promise<Wolke> {
  if (!listen && (dns || metadata)) throw new TypeError(`${dns ? 'dns' : 'metadata'}: needs listen`)
  const free = { host: '127.0.0.1', port: 0 }
  const config: Config = {
    ...configOf(given),
    listen: free,
    ...(dns ? { dnsListen: free } : {}),
    ...(metadata ? { metadataListen: free } : {}),
  }
  const running = new AsyncDisposableStack()
  try {
    return cloudAt(await open(config, { listen, write: log, seed }, running), { end: () => running.disposeAsync() })
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}

let empty: Promise<Uint8Array> | undefined

/** The image of a database with nothing in it: to make the tables takes longer than all else that a start does. */
function emptyDatabase(): Promise<Uint8Array> {
  empty ??= makeEmptyDatabase()
  return empty
}

async function makeEmptyDatabase(): Promise<Uint8Array> {
  const db = await openMigrated(parseDatabaseUrl('memory')!)
  try {
    return await db.image!()
  } finally {
    await db.close()
  }
}

async function open(
  config: Config,
  { listen, write, seed }: { readonly listen: boolean; readonly write: Ways['log']; readonly seed: Ways['seed'] },
  running: AsyncDisposableStack,
): Promise<Found> {
  const log = openLog(write ? 'info' : 'silent', { write: write ?? (() => undefined) })
  const read = await readOptionFiles(config)
  const files = typeof seed === 'object' ? { ...read, seed: JSON.stringify(seed) } : read
  const image = await emptyDatabase()
  const { app, token, labToken, work } = await assemble(config, { files, effective: [], log, image }, running)
  const listeners = listen ? await openListeners(app, config, log, files) : undefined
  if (!listen) await app.edge.server.ready()
  await work()
  return {
    local: app.local,
    url: listeners?.api.at ?? nowhere,
    token: token!,
    labToken: labToken!,
    dns: listeners?.dns?.at ?? null,
    metadataUrl: listeners?.metadata?.at ?? null,
  }
}
