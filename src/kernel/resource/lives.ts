/**
 * The lives of resources, told to somebody who follows them: each event once its transaction is durable. Nobody follows
 * them by default, and that costs nothing.
 */
import { type Database, type Transaction, withTransact } from '../data/db.ts'
import type { Columns, Follow, Subject } from '../data/follow.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'

/** Wraps a database so that somebody follows the resources in it. */
export function followed(db: Database, follow: Follow): Database {
  return withTransact(db, (work, options) => db.transact((tx) => work({ ...tx, follow }), options))
}

export function tellBegun(tx: Transaction, subject: Subject, projectId: ProjectId, columns: Columns): void {
  const { follow, note, now: atMs } = tx
  const by = note?.requested.actor
  if (follow) tx.afterCommit(() => follow({ ...subject, kind: 'began', atMs, projectId, by, columns }))
}

export function tellChanged(tx: Transaction, subject: Subject, columns: Columns): void {
  const { follow, now: atMs } = tx
  if (follow) tx.afterCommit(() => follow({ ...subject, kind: 'changed', atMs, columns }))
}

export function tellEnded(tx: Transaction, subject: Subject): void {
  const { follow, now: atMs } = tx
  if (follow) tx.afterCommit(() => follow({ ...subject, kind: 'ended', atMs }))
}

export function tellEmptied(tx: Transaction, { projectId }: ProjectScope): void {
  const { follow, now: atMs } = tx
  if (follow) tx.afterCommit(() => follow({ kind: 'emptied', atMs, projectId }))
}
