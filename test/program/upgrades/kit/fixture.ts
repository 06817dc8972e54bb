/** Databases that earlier versions wrote, kept as files, with the keys of their secrets and what those versions told of them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import type { EngineName } from '../../../kit/engines.ts'
import type { Told } from './told.ts'

const folder = join(import.meta.dirname, '../../../fixtures/upgrades')

/** The version that wrote a database, and what it said. */
export interface About {
  /** The commit whose program wrote it, and the last migration that it had. */
  readonly commit: string
  readonly schema: string
  /** Where its clock stood in the beginning. */
  readonly now: string
  /** Tokens that work, and those that were revoked. */
  readonly tokens: { readonly valid: readonly string[]; readonly revoked: readonly string[] }
  /** Somebody who signs in; undefined where there were no people. */
  readonly person?: { readonly email: string; readonly password: string }
  /** Replies to the token of Project default, and to that person, by what was asked. */
  readonly told: Told
  readonly toldPerson: Told
  /** An action that had begun when the last process of that version was killed. */
  readonly unfinished: number
  /** The key file in base64; undefined where there were no secrets. */
  readonly key?: string
}

/** A database as it was when the version that wrote it had stopped. */
export interface UpgradeFixture extends About {
  /** A file of SQLite, or the statements of a dump of PostgreSQL. */
  readonly data: Buffer
}

/** The schemas of which there are fixtures, oldest first. */
export const schemas: readonly string[] = [
  ...new Set(readdirSync(folder).map((name) => name.slice(0, name.indexOf('.')))),
].sort()

const pathOf = (schema: string, engine: EngineName) => join(folder, `${schema}.${engine}.br`)

export function readFixture(schema: string, engine: EngineName): UpgradeFixture {
  const bytes = brotliDecompressSync(readFileSync(pathOf(schema, engine)))
  const end = bytes.indexOf('\n')
  return { ...JSON.parse(bytes.toString('utf8', 0, end)), data: bytes.subarray(end + 1) }
}

/** Writes a fixture in the place of one with the same schema. Errors: one that is larger than a repository should keep. */
export function writeFixture(engine: EngineName, { data, ...about }: UpgradeFixture): string {
  const bytes = Buffer.concat([Buffer.from(`${JSON.stringify(about)}\n`), data])
  const compressed = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } })
  if (compressed.length > mostBytes) throw new Error(`${about.schema} on ${engine} has ${compressed.length} bytes`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(pathOf(about.schema, engine), compressed)
  return `${pathOf(about.schema, engine)}: ${compressed.length} bytes`
}

const mostBytes = 200_000
