/** Opens the store of a directory, in the best way that it allows. */
import { mkdir, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createFolder, createPrivate } from '../../../kernel/process/private-file.ts'
import { makePrivate } from '../../private-folder.ts'
import { Boxes, type StoreParts } from './boxes.ts'
import { discard } from './discard.ts'
import { isThere, unlessMissing, writeDurably } from './durable.ts'
import { Exclusive } from './exclusive.ts'
import { Counts, countLocks } from './meters/counts.ts'
import { Groups } from './meters/groups.ts'
import { Places } from './places.ts'
import { type Store, type StoreKind, type StoreLog, type StoreOptions, storeKinds } from './store.ts'
import { Subvolumes } from './trees/btrfs.ts'
import { Copies } from './trees/copies.ts'
import { Impossible, tryBtrfs, tryCell, tryReflink } from './trial.ts'
import { Users } from './users.ts'

/**
 * Opens a store, which several processes may do. Its kind is that of the first time, and the best that is possible then.
 * Errors: one line for the operator.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const places = await makePlaces(options.directory)
  const opening = new Exclusive<'open'>((name) => join(places.locks, name))
  const parts = await opening.run('open', async () => {
    await rm(places.trial, { recursive: true, force: true })
    try {
      return await choose(places, options)
    } finally {
      await rm(places.trial, { recursive: true, force: true })
    }
  })
  return new Boxes(parts)
}

/** Removes a store that nobody has open, with all boxes, wherever it was cut off. */
export async function discardStore(directory: string, log: StoreLog): Promise<void> {
  const places = new Places(await realpath(directory))
  const isBtrfs = await isThere(places.level)
  const trees = isBtrfs
    ? new Subvolumes(await tryBtrfs(places, true, log))
    : new Copies({ sharesBlocks: false, cell: undefined })
  await discard({ places, trees, users: usersOf(places, log), log })
}

const usersOf = (places: Places, log: StoreLog) => (process.getuid?.() === 0 ? new Users(places, log) : undefined)

/** One line for the operator. */
export const cannotBeIn = (directory: string, error: unknown) =>
  new Error(`Storage Boxes cannot be in ${directory}: ${(error as Error).message}`, { cause: error })

async function makePlaces(directory: string): Promise<Places> {
  try {
    createFolder(directory)
    const places = new Places(await realpath(directory))
    for (const folder of [places.boxes, places.making, places.removed, places.locks, places.cell]) makePrivate(folder)
    // The locks are made now because a full disk would have no room for them.
    for (let lock = 0; lock < countLocks; lock++) createPrivate(places.countLock(lock))
    return places
  } catch (error) {
    throw cannotBeIn(directory, error)
  }
}

/** Tries a kind, and says what it consists of and why it is possible. Errors: `Impossible`. */
type Attempt = (
  places: Places,
  options: StoreOptions,
  isKept: boolean,
) => Promise<Pick<StoreParts, 'trees' | 'meter' | 'hasKernelQuota' | 'reason'>>

const attempts: Readonly<Record<StoreKind, Attempt>> = {
  async btrfs(places, { log }, isKept) {
    const at = await tryBtrfs(places, isKept, log)
    const [trees, meter] = [new Subvolumes(at), new Groups(at, places)]
    return { trees, meter, hasKernelQuota: true, reason: 'it is on btrfs with quotas' }
  },
  async reflink(places, options) {
    await tryReflink(places.trial)
    const trees = new Copies({ sharesBlocks: true, cell: await tryCell(places.cell, places.trial, options.log) })
    return {
      trees,
      meter: new Counts(places, options),
      hasKernelQuota: false,
      reason: 'its file system lets copies share blocks',
    }
  },
  async plain(places, options) {
    await mkdir(places.trial, { recursive: true })
    const trees = new Copies({ sharesBlocks: false, cell: await tryCell(places.cell, places.trial, options.log) })
    return {
      trees,
      meter: new Counts(places, options),
      hasKernelQuota: false,
      reason: 'every file system lets files be copied',
    }
  },
}

async function choose(places: Places, options: StoreOptions): Promise<StoreParts> {
  const kept = await keptKind(places)
  if (kept && options.kind && kept !== options.kind) {
    throw new Error(`Storage Boxes in ${places.root} are kept as ${kept}, so they cannot be kept as ${options.kind}`)
  }
  const wanted = kept ?? options.kind
  const reasons: string[] = []
  for (const kind of wanted ? [wanted] : storeKinds) {
    try {
      const { reason, ...made } = await attempts[kind](places, options, kept !== undefined)
      if (!kept) await writeDurably(places.kind, kind)
      const users = usersOf(places, options.log)
      await users?.claim()
      const pause = kind === 'btrfs' ? options.pause : undefined
      return {
        kind,
        ...made,
        places,
        users,
        pause,
        vacate: options.vacate,
        log: options.log,
        reason: [...reasons, reason].join('; '),
      }
    } catch (error) {
      if (!(error instanceof Impossible)) throw error
      reasons.push(error.message)
    }
  }
  throw new Error(`Storage Boxes in ${places.root} cannot be kept as ${wanted}: ${reasons.join('; ')}`)
}

async function keptKind(places: Places): Promise<StoreKind | undefined> {
  const text = await unlessMissing(readFile(places.kind, 'utf8'))
  if (text === undefined) return undefined
  const kept = storeKinds.find((kind) => kind === text)
  if (!kept) throw new Error(`${places.kind} names a kind of store that this version does not know`)
  return kept
}
