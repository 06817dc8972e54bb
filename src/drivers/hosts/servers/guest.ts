/** Finds the instance of a server, and changes what is no configuration: its power, its disk and the password of its root. */
import type { ServerState } from '../../../families/servers/driver.ts'
import { DriverError, type Report } from '../../../kernel/actions/define.ts'
import { type Incus, IncusError, TooLong } from '../../../protocols/incus/client.ts'
import { type Config, editInstance, type Instance } from '../../../protocols/incus/edit.ts'
import { serverName, snapshotPrefix } from '../names.ts'
import { systemConfig } from './cloud-init.ts'
import { isDrive } from './drives.ts'
import { isRunning, markedDone, needKnownPower } from './instances.ts'

/** A guest has so long to shut down after it was asked, in seconds. */
const shutdownS = 90
/** A command in a guest may take so long, in milliseconds. */
const commandMs = 30_000
/** The images of containers have what cloud-init reads at this path. */
const networkSeed = '/var/lib/cloud/seed/nocloud-net/network-config'
/** Their systems configure cloud-init in this folder. */
const systemFolder = '/etc/cloud/cloud.cfg.d'

const pathOf = (name: string) => `/1.0/instances/${name}`

/** The instance of a server; undefined when there is none. Errors: `DriverError`. */
export async function instanceOf(incus: Incus, server: number): Promise<Instance | undefined> {
  return (await incus.get<Instance>(`/1.0/instances/${serverName(server)}`))?.value
}

/**
 * Takes the power of an instance away. Errors: `DriverError`, a permanent one when the guest was asked to shut down and does
 * not.
 */
export async function stop(incus: Incus, name: string, manner: ServerState['manner']): Promise<void> {
  const isHard = manner === 'hard'
  const start = performance.now()
  const failure = await setPower(incus, name, { action: 'stop', force: isHard, timeout: isHard ? -1 : shutdownS })
  if (!failure) return
  // A failure before the guest had its time says nothing about the guest.
  if (isHard || performance.now() - start < shutdownS * 1_000) throw failure
  throw new DriverError(`the server did not shut down within ${shutdownS} s`, { transient: false, cause: failure })
}

/**
 * Removes an instance without power. Errors: `DriverError`, a transient one when it has got power since it was read, as
 * from a daemon that has just started.
 */
export async function removeInstance(incus: Incus, name: string): Promise<void> {
  try {
    await incus.change('DELETE', pathOf(name))
  } catch (cause) {
    if (!(cause instanceof IncusError)) throw cause
    const found = await incus.get<Instance>(pathOf(name))
    if (!found) return
    if (found.value.status === 'Stopped') throw cause
    throw new DriverError(`${name} has got power again`, { transient: true, cause })
  }
}

/** Writes an image to the disk of an instance without power, and notes that this is done. Errors: `DriverError`. */
export async function install(
  incus: Incus,
  name: string,
  state: ServerState,
  alias: string,
  report: Report | undefined,
): Promise<void> {
  await removeSnapshots(incus, name)
  await incus.change('POST', `${pathOf(name)}/rebuild`, { source: { type: 'image', alias } }, { report })
  // The new system gets the newest password from its first boot.
  await mark(incus, name, state, ['installation', 'passwordReset'])
}

/** A disk with snapshots cannot be replaced, and copies that were cut off left some. */
async function removeSnapshots(incus: Incus, name: string): Promise<void> {
  const snapshots = await incus.list<{ name: string }>(`${pathOf(name)}/snapshots?recursion=1`)
  const names = snapshots.map((snapshot) => snapshot.name.split('/').at(-1)!)
  for (const snapshot of names.filter((one) => one.startsWith(snapshotPrefix))) {
    await incus.change('DELETE', `${pathOf(name)}/snapshots/${snapshot}`)
  }
}

/** Gives an instance power. Errors: `DriverError`. */
export async function boot(incus: Incus, name: string): Promise<void> {
  const failure = await setPower(incus, name, { action: 'start', timeout: -1 })
  if (failure) throw failure
}

/**
 * Changes the power of an instance, and answers why it could not. Incus refuses to do what somebody else has just done, which
 * is no failure. Errors: `DriverError`.
 */
async function setPower(
  incus: Incus,
  name: string,
  change: { readonly action: 'start' | 'stop'; readonly force?: boolean; readonly timeout: number },
): Promise<IncusError | undefined> {
  try {
    await incus.change('PUT', `${pathOf(name)}/state`, change)
    return undefined
  } catch (error) {
    if (!(error instanceof IncusError)) throw error
    const found = await incus.get<Instance>(pathOf(name))
    if (found) needKnownPower(found.value, error)
    const isRight = found ? isRunning(found.value) === (change.action === 'start') : change.action === 'stop'
    return isRight ? undefined : error
  }
}

/**
 * Tells a container what its network is from its next boot on, whoever boots it: images write the documents of cloud-init
 * only when an instance is made, while its addresses may change later. A disk that has not booted yet has no document, and
 * gets its first from the image. Errors: `DriverError`.
 */
export async function renewNetworkSeed(incus: Incus, { name, config }: Instance): Promise<void> {
  const path = fileOf(name, networkSeed)
  const found = await incus.file(path)
  if (found !== undefined) await renew(incus, path, found, config['cloud-init.network-config'] ?? '')
}

/** Tells a guest without power what its next boot is to know that Incus does not tell it. Errors: `DriverError`. */
export async function prepareBoot(incus: Incus, instance: Instance): Promise<void> {
  if (instance.type !== 'container') return
  await Promise.all([renewNetworkSeed(incus, instance), renewSystemConfig(incus, instance)])
}

/**
 * Vendor data says that the network follows at every boot, but is kept only once it was read to its end: a system that loses
 * its power in its first boot would start with the old network. One without cloud-init has no place for it.
 */
async function renewSystemConfig(incus: Incus, { name }: Instance): Promise<void> {
  const path = fileOf(name, `${systemFolder}/80_wolke.cfg`)
  const [folder, found] = await Promise.all([incus.file(fileOf(name, systemFolder)), incus.file(path)])
  if (folder !== undefined) await renew(incus, path, found, systemConfig)
}

async function renew(incus: Incus, path: string, found: string | undefined, wanted: string): Promise<void> {
  if (found !== wanted) await incus.putFile(path, wanted)
}

const fileOf = (name: string, path: string) => `${pathOf(name)}/files?path=${encodeURIComponent(path)}`

/**
 * Moves an instance without power to another member. Errors: `DriverError`, a permanent one when it has volumes, which are on
 * the disks of its member.
 */
export async function move(incus: Incus, instance: Instance, to: string, report: Report | undefined): Promise<void> {
  const isVolume = ([name, { type, source, path }]: [string, Config]) =>
    type === 'disk' && source !== undefined && path !== '/' && !isDrive(name)
  if (Object.entries(instance.devices).some(isVolume)) {
    const message = 'every other host is kept from the server by its volumes'
    throw new DriverError(message, { transient: false, code: 'placement_error' })
  }
  const change = { name: instance.name, migration: true, live: false }
  await incus.change('POST', pathOf(instance.name), change, { target: to, report })
}

/**
 * Sets the password of root in the running system, and notes that this is done. Errors: `DriverError`, a permanent one when
 * the guest refuses.
 */
export async function setPassword(incus: Incus, name: string, state: ServerState): Promise<void> {
  if (state.rootPasswordHash !== null) await changePassword(incus, name, state.rootPasswordHash)
  await mark(incus, name, state, ['passwordReset'])
}

async function changePassword(incus: Incus, name: string, hash: string): Promise<void> {
  const script = 'printf "root:%s\\n" "$WOLKE_HASH" | chpasswd -e || exit 1'
  const code = await command(incus, name, ['sh', '-c', script], { WOLKE_HASH: hash })
  if (code === 0) return
  throw new DriverError('the server refused the new password', { transient: false })
}

/**
 * Runs a command in a running guest, and answers with which code it ended; undefined when the guest does not end it in time.
 * What it prints is not kept: it is up to the guest how much that is. Errors: `DriverError`, which is transient when the
 * guest has lost its power, and one of Incus with status 500 when it has no such program.
 */
export async function command(
  incus: Incus,
  name: string,
  program: readonly string[],
  environment: Config = {},
): Promise<number | undefined> {
  const run = { command: program, environment, 'wait-for-websocket': false }
  try {
    const options = { timeoutMs: commandMs }
    return ((await incus.change('POST', `${pathOf(name)}/exec`, run, options)) as { return?: number } | null)?.return
  } catch (error) {
    if (error instanceof TooLong) return undefined
    if (!(error instanceof IncusError) || error.status !== 400) throw error
    throw new DriverError('the server lost its power', { transient: true, cause: error })
  }
}

/** Notes that the work of some actions is done, unless a newer state has come. */
async function mark(
  incus: Incus,
  name: string,
  state: ServerState,
  done: Parameters<typeof markedDone>[1],
): Promise<void> {
  await editInstance(incus, name, ({ config }) =>
    config['user.wolke.generation'] === String(state.generation)
      ? { config: { ...config, ...markedDone(state, done) } }
      : undefined,
  )
}
