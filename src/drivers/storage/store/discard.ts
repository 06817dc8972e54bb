/** Removes a store as a whole. */
import { readdir } from 'node:fs/promises'
import { unlessMissing } from './durable.ts'
import type { Places } from './places.ts'
import type { StoreLog } from './store.ts'
import type { Trees } from './trees/trees.ts'
import type { Users } from './users.ts'

export interface Discarded {
  readonly places: Places
  readonly trees: Trees
  readonly users: Users | undefined
  readonly log: StoreLog
}

/** Removes the directory of a store that nobody has open, and all that the machine keeps for it elsewhere. */
export async function discard({ places, trees, users, log }: Discarded): Promise<void> {
  const folders = [places.boxes, places.making]
  const names = await Promise.all(folders.map((folder) => unlessMissing(readdir(folder))))
  for (const path of [...folders, places.trial]) await trees.remove(path)
  for (const id of new Set(names.flatMap((some) => some ?? []).map(Number))) {
    await trees.forget(id).catch((err) => {
      log.warn({ err, storage_box: id }, 'the quota group of a removed Storage Box could not be removed')
    })
  }
  // The file system is asked for all of this at a path of it, so the directory goes last.
  await trees.release()
  await users?.release()
  await trees.remove(places.root)
}
