/** The infrastructure is to see to it that each Storage Box is there in its size, with its accounts. */
import { DriverError } from '../../kernel/actions/define.ts'
import { inTime } from '../../kernel/actions/in-time.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { defineDesired, recallAll, type World } from '../../kernel/resource/desired.ts'
import { pathIn, type StorageBox, usernameOf } from './domain.ts'
import type { AccountState, BoxState } from './driver.ts'
import { boxes } from './store.ts'
import { type Subaccount, subaccountName } from './subaccounts/domain.ts'
import { subaccountsOf } from './subaccounts/store.ts'

/** Each box has one state. A box that is to be deleted, or that the database does not have, is removed. */
export const states = defineDesired({
  table: 'storage_box_state',
  title: 'Storage Boxes',
  target: 'storage_box',
  seenAs: 'storageBoxes',
  async handOver(world, id, generation) {
    const { query, scope, drivers } = world
    const box = await boxes.find(query, scope, id)
    if (!box || box.isLeaving) {
      await drivers.storageBoxes.remove(id, generation)
      return { isGone: true }
    }
    await drivers.storageBoxes.apply(await stateOf(world, box, generation))
    return { isGone: false }
  },
})

async function stateOf({ query, scope }: World, box: StorageBox, generation: number): Promise<BoxState> {
  const others = (await subaccountsOf(query, scope, box.id)).filter(({ isLeaving }) => !isLeaving)
  return {
    id: box.id,
    generation,
    bytes: box.capacity,
    accounts: [accountOf(box), ...others.map((one) => subaccountOf(box, one))],
  }
}

function accountOf({ id, access, passwordHash, sshKeys }: StorageBox): AccountState {
  return {
    username: usernameOf(id),
    home: '',
    passwordHash,
    keys: sshKeys,
    isReadonly: false,
    isReachableExternally: access.reachable_externally,
    hasSsh: access.ssh_enabled,
    hasWebdav: access.webdav_enabled,
    seesSnapshots: access.zfs_enabled,
  }
}

function subaccountOf({ id }: StorageBox, { number, home, passwordHash, sshKeys, access }: Subaccount): AccountState {
  return {
    username: subaccountName(usernameOf(id), number),
    home: pathIn(home) ?? '',
    passwordHash,
    keys: sshKeys,
    isReadonly: access.readonly,
    isReachableExternally: access.reachable_externally,
    hasSsh: access.ssh_enabled,
    hasWebdav: access.webdav_enabled,
    seesSnapshots: false,
  }
}

/**
 * A driver may have lost the box, so whoever does more about it than its state says hands it over before. Errors: those of
 * the driver, and one when the box is gone.
 */
export async function holdOut(world: World, id: number): Promise<void> {
  if ((await states.generation(world.query, world.scope, id)) === undefined) {
    throw new DriverError('the Storage Box no longer exists', { transient: false })
  }
  await states.repeat(world, id)
}

/** Readers do not wait longer for the infrastructure. */
const callTimeoutMs = 10_000

/**
 * The directories in a directory of a box. Errors: `invalid_input` for a path that leads out of the box, `not_found`, `locked`
 * while it is still to be made, `unavailable`.
 */
export async function listFolders(world: World, { id, status }: StorageBox, path: string): Promise<string[]> {
  const within = pathIn(path)
  if (within === undefined) throw invalidInput([{ field: 'path', message: 'must not lead out of the Storage Box' }])
  if (status === 'initializing') throw new ApiError('locked', 'storage_box is locked: it is still to be made')
  const { storageBoxes } = world.drivers
  const read = async () => {
    if (!storageBoxes.isLasting) await recallAll(world, [[states, [id]]])
    return storageBoxes.folders(id, within)
  }
  try {
    return (await inTime(read(), callTimeoutMs)) ?? []
  } catch (error) {
    if (!(error instanceof DriverError)) throw error
    if (error.code === 'not_found') throw new ApiError('not_found', `there is no directory '${path}'`)
    throw new ApiError('unavailable', 'the files of the Storage Box cannot be read now', { cause: error })
  }
}
