/**
 * Changes a box again and again until it is killed: `node worker.ts DIRECTORY KIND VERSION`. Every file of the box holds the
 * number of the version that was written last, and a snapshot is called by it. Tells in a line each what it is about to do.
 */
import { writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../../../src/drivers/storage/store/open.ts'
import type { StoreKind } from '../../../../src/drivers/storage/store/store.ts'

export const filesOfVersion = 60
const mostSnapshots = 4

export type Intent =
  | { readonly does: 'write' | 'snapshot' | 'delete'; readonly version: number }
  | {
      readonly does: 'rollback' | 'rolled back'
      readonly version: number
      readonly from: number
      readonly newer: number[]
    }

const tell = (intent: Intent) => writeSync(1, `${JSON.stringify(intent)}\n`)

async function main(directory: string, kind: StoreKind, first: number): Promise<void> {
  const log = { info: () => undefined, warn: (fields: object, message: string) => console.error(message, fields) }
  const store = await openStore({ directory, kind, log })
  const { files } = await store.paths(1)
  for (let version = first; ; version++) {
    tell({ does: 'write', version })
    await store.changed(1)
    for (let file = 0; file < filesOfVersion; file++) writeFileSync(join(files, `${file}`), `${version}`.repeat(2_000))
    tell({ does: 'snapshot', version })
    await store.createSnapshot(1, `${version}`)
    const names = [...(await store.paths(1)).bySnapshot.keys()].map(Number).sort((a, b) => a - b)
    if (names.length > mostSnapshots) {
      tell({ does: 'delete', version: names[0]! })
      await store.deleteSnapshot(1, `${names[0]}`)
      names.shift()
    }
    if (version % 2 === 1) continue
    const chosen = Math.floor(Math.random() * names.length)
    const intent = { version: names[chosen]!, from: version, newer: names.slice(chosen + 1) }
    tell({ does: 'rollback', ...intent })
    await store.rollback(1, `${intent.version}`, intent.newer.map(String), version)
    tell({ does: 'rolled back', ...intent })
  }
}

if (import.meta.main) await main(process.argv[2]!, process.argv[3] as StoreKind, Number(process.argv[4]))
