/** Makes and removes snapshots of box 1 beside others who do the same: `node beside.ts DIRECTORY KIND NAME ROUNDS`. */
import { openStore } from '../../../../src/drivers/storage/store/open.ts'
import type { StoreKind } from '../../../../src/drivers/storage/store/store.ts'

const [directory, kind, name, rounds] = process.argv.slice(2)
const log = { info: () => undefined, warn: (fields: object, message: string) => console.error(message, fields) }
const store = await openStore({ directory: directory!, kind: kind as StoreKind, log })
for (let round = 0; round < Number(rounds); round++) {
  await store.createSnapshot(1, `${name}-${round}`)
  // All of them make this one, and it is made once.
  await store.createSnapshot(1, `all-${round}`)
  if (round > 0) await store.deleteSnapshot(1, `${name}-${round - 1}`)
  // Later than what everybody else has done so far.
  const number = Math.round((performance.timeOrigin + performance.now()) * 1_000)
  await store.rollback(1, `all-${round}`, [], number)
}
await store.close()
