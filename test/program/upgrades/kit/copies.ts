/** Copies of fixtures that a program can use. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createDatabase, execute, postgresUrl } from '../../../kit/database/postgres.ts'
import type { EngineName } from '../../../kit/engines.ts'
import type { UpgradeFixture } from './fixture.ts'

export interface Copy {
  /** The database of `wolke serve`. */
  readonly url: string
  /** The options with which it serves what it served before. */
  readonly options: readonly string[]
}

interface Place {
  readonly engine: EngineName
  readonly folder: string
  readonly t: TestContext
}

/** Puts the database and the key of a fixture into a folder, or into a new database of PostgreSQL. */
export async function copyOf({ data, key, now, tokens }: UpgradeFixture, { engine, folder, t }: Place): Promise<Copy> {
  const place = mkdtempSync(join(folder, 'copy-'))
  const keyFile = join(place, 'key')
  if (key !== undefined) writeFileSync(keyFile, Buffer.from(key, 'base64'), { mode: 0o600 })
  const options = ['--key-file', keyFile, '--now', now, '--token', tokens.valid[0]!]
  if (engine === 'sqlite') {
    const path = join(place, 'wolke.db')
    writeFileSync(path, data)
    return { url: `sqlite:${path}`, options }
  }
  const { url, drop } = await createDatabase(await postgresUrl())
  t.after(drop)
  await execute(url, data.toString('utf8'))
  return { url, options: [...options, '--storage', join(place, 'storage')] }
}
