/** Statements on links and challenges that count once: who deletes the row has used it. */
import { drawId, type Queries, type Transaction } from '../kernel/data/db.ts'
import { hashSecret, isSecret, randomSecret } from './secret-text.ts'
import type { CeremonyKind, CeremonyRow, LinkKind, LinkRow } from './tables.ts'

/** Makes a link and returns its secret; earlier ones of the kind for the same person no longer count. */
export async function makeLink(
  tx: Transaction,
  { kind, personId, forMs }: { readonly kind: LinkKind; readonly personId: number | null; readonly forMs: number },
): Promise<string> {
  const earlier = tx.query.deleteFrom('person_link').where('kind', '=', kind)
  await (personId === null ? earlier : earlier.where('person_id', '=', personId)).execute()
  const secret = randomSecret()
  await tx.query
    .insertInto('person_link')
    .values({
      id: await drawId(tx),
      hash: hashSecret(secret),
      kind,
      person_id: personId,
      expires: tx.now + forMs,
    })
    .execute()
  return secret
}

/** A link that still counts. */
export async function findLink(
  query: Queries,
  kind: LinkKind,
  secret: string | undefined,
  nowMs: number,
): Promise<LinkRow | undefined> {
  if (!isSecret(secret)) return undefined
  return query
    .selectFrom('person_link')
    .selectAll()
    .where('hash', '=', hashSecret(secret))
    .where('kind', '=', kind)
    .where('expires', '>', nowMs)
    .executeTakeFirst()
}

/** Uses a link up; false when somebody else was faster. */
export async function spendLink(tx: Transaction, { id }: LinkRow): Promise<boolean> {
  const { numDeletedRows } = await tx.query.deleteFrom('person_link').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function dropLinks(tx: Transaction, kind: LinkKind): Promise<void> {
  await tx.query.deleteFrom('person_link').where('kind', '=', kind).execute()
}

/** The links of a person no longer count. */
export async function dropLinksOf(tx: Transaction, personId: number): Promise<void> {
  await tx.query.deleteFrom('person_link').where('person_id', '=', personId).execute()
}

/** Starts a challenge under a secret that the browser keeps. */
export async function startCeremony(tx: Transaction, secret: string, row: Omit<CeremonyRow, 'id' | 'hash'>) {
  await tx.query
    .insertInto('ceremony')
    .values({ id: await drawId(tx), hash: hashSecret(secret), ...row })
    .execute()
}

/** Takes a challenge, which nobody can take again. */
export async function takeCeremony(
  tx: Transaction,
  kind: CeremonyKind,
  secret: string | undefined,
): Promise<CeremonyRow | undefined> {
  if (!isSecret(secret)) return undefined
  const row = await tx.query
    .selectFrom('ceremony')
    .selectAll()
    .where('hash', '=', hashSecret(secret))
    .where('kind', '=', kind)
    .where('expires', '>', tx.now)
    .executeTakeFirst()
  if (!row) return undefined
  const { numDeletedRows } = await tx.query.deleteFrom('ceremony').where('id', '=', row.id).executeTakeFirst()
  return numDeletedRows > 0n ? row : undefined
}

/** Deletes links and challenges whose time is over. */
export async function forgetExpired(tx: Transaction): Promise<void> {
  await tx.query.deleteFrom('person_link').where('expires', '<', tx.now).execute()
  await tx.query.deleteFrom('ceremony').where('expires', '<', tx.now).execute()
}
