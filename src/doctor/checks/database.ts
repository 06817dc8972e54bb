/** Does the database answer, with the schema of this program, and do its pages belong together? */

import { databaseClock } from '../../kernel/actions/waiting.ts'
import type { Database } from '../../kernel/data/db.ts'
import { databaseSize } from '../../kernel/data/health.ts'
import { schemaState, UnknownMigration } from '../../kernel/data/migrate.ts'
import { lookAtPages } from '../../kernel/data/pages.ts'
import { standingOf } from '../../kernel/data/standing.ts'
import { failure, fine, reasonOf, type Seen, unknown, warning } from '../../kernel/process/seen.ts'
import { migrations } from '../../migrations/index.ts'
import { DatabaseAway, type Patient } from '../patient.ts'

export async function checkDatabase(patient: Patient): Promise<readonly Seen[]> {
  let db: Database
  try {
    db = await patient.open()
    await databaseClock(db)
  } catch (error) {
    const reason = reasonOf(error instanceof DatabaseAway ? (error.cause ?? error) : error)
    return [failure('connection', reason, 'let --database name the database of wolke serve, and see that it is there')]
  }
  const schema = await schemaOf(db)
  const isOurs = schema.verdict === 'ok'
  return [
    ...(isOurs ? [await connection(db)] : [fine('connection', `${db.dialect.title} at ${db.location} answers`)]),
    schema,
    ...(await writes(patient)),
    await pages(db, patient),
    ...(await standing(db)),
  ]
}

async function connection(db: Database): Promise<Seen> {
  const { bytes, tookMs } = await databaseSize(db)
  const size = `${Math.round(bytes / 100_000) / 10} MB`
  return fine('connection', `${db.dialect.title} at ${db.location} answers within ${tookMs} ms and has ${size}`)
}

async function schemaOf(db: Database): Promise<Seen> {
  try {
    const state = await schemaState(db, migrations)
    if (state === 'current') return fine('schema', `as this program wants it: ${migrations.at(-1)!.id}`)
    const seen = state === 'none' ? 'there is none yet' : 'is that of an older version'
    return warning('schema', seen, 'start wolke serve, which migrates it')
  } catch (error) {
    if (!(error instanceof UnknownMigration)) throw error
    return failure('schema', error.message, 'use the newer version of Wolke that wrote it')
  }
}

async function writes({ health }: Patient): Promise<readonly Seen[]> {
  const seen = await health?.()
  if (!seen) return []
  if (seen.database === 'damaged')
    return [
      failure('writes', 'a read has found damage', 'stop the server and restore a backup (docs/operating/backups.md)'),
    ]
  if (seen.writes === 'ok') return [fine('writes', 'work')]
  return [failure('writes', 'fail', 'see the log for the reason; most often the disk is full')]
}

async function pages(db: Database, { file }: Patient): Promise<Seen> {
  if (file === undefined && !db.dialect.shared) return fine('pages', 'are in memory, and go with the server')
  if (file === undefined) return fine('pages', 'are looked after by PostgreSQL')
  const said = await lookAtPages(file)
  if (said === 'ok') return fine('pages', 'belong together')
  if (said === undefined)
    return unknown('pages', 'the database is too large for a quick look', 'wolke backup FILE reads all of it')
  return failure('pages', said, 'stop the server and restore a backup (docs/operating/backups.md)')
}

/** The answer of a database server about itself. */
async function standing(db: Database): Promise<readonly Seen[]> {
  const said = await standingOf(db)
  if (!said) return []
  const { version, isReplica, connections, most } = said
  const role = isReplica
    ? failure('role', 'is a replica, which takes no writes', 'let --database lead to the primary')
    : fine('role', 'is the primary')
  const used = `${connections} of ${most}`
  const room =
    connections > most * 0.9
      ? warning('connections', used, 'raise max_connections, or lower --database-connections')
      : fine('connections', used)
  const tooOld = failure('version', version, 'PostgreSQL 15 or newer is needed')
  return [Number.parseInt(version, 10) < 15 ? tooOld : fine('version', version), role, room]
}
