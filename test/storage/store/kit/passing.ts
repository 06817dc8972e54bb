/** Storage that goes with its process. As a program: `node --expose-gc passing.ts DIRECTORY` fills some, says its folder and stays. */
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassingStorage, type StoragePlan } from '../../../../src/drivers/storage/open.ts'
import { box, type Logged } from './grounds.ts'

/** Storage without doors in a directory. Warnings are noted. */
export const passingAt = (directory: string, warnings: Logged[]): StoragePlan => ({
  directory,
  isPassing: true,
  ssh: 'off',
  webdav: 'off',
  addressPool: [],
  log: { info: () => undefined, warn: (fields, message) => void warnings.push({ fields, message }) },
})

if (import.meta.main) {
  const warnings: Logged[] = []
  const storage = await PassingStorage.open(passingAt(process.argv[2]!, warnings))
  let folder = ''
  for (const cloud of [storage.cloud(), storage.cloud()]) {
    const driver = await cloud.driver()
    for (const id of [1, 2]) await driver.apply({ ...box(id), accounts: [] })
    folder = dirname(storage.facts.store!.directory)
    for (const store of readdirSync(folder).filter((name) => /^\d+$/.test(name))) {
      writeFileSync(join(folder, store, 'boxes/1/files/file'), 'content')
    }
    await driver.createSnapshot(1, 'kept')
  }
  if (warnings.length > 0) throw new Error(JSON.stringify(warnings))
  console.log(folder.slice(folder.lastIndexOf('/') + 1))
  // The folder stays that of this process although nothing here refers to it any more.
  setInterval(() => globalThis.gc!(), 100)
}
