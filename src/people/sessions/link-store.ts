/** Statements on links and challenges that count once: who deletes the row has used it. */
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { hashSecret, isSecret, randomSecret } from '../credentials/secret-text.ts'
import type { CeremonyKind, CeremonyRow, LinkKind, LinkRow } from '../tables.ts'

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

/** The most challenges that a browser can have, as many tabs ask for one when they are opened. */
const mostCeremonies = 20

/** A challenge as only the browser knows it that was given it. */
export interface Challenged {
  /** The secret that the browser keeps. */
  readonly browser: string | undefined
  /** The challenge that is answered. */
  readonly challenge: string | undefined
}

const hashOf = (browser: string, challenge: string) => hashSecret(`${browser} ${challenge}`)

/** Starts a challenge of a browser. It may have others; when there are too many the oldest ones end. */
export async function startCeremony(
  tx: Transaction,
  { browser, challenge }: Required<{ [Key in keyof Challenged]: string }>,
  about: Omit<CeremonyRow, 'id' | 'hash' | 'browser'>,
): Promise<void> {
  const row: CeremonyRow = {
    id: await drawId(tx),
    hash: hashOf(browser, challenge),
    browser: hashSecret(browser),
    ...about,
  }
  await tx.query.insertInto('ceremony').values(row).execute()
  const newest = tx.query
    .selectFrom('ceremony')
    .select('id')
    .where('browser', '=', row.browser)
    .orderBy('id', 'desc')
    .limit(mostCeremonies)
  await tx.query.deleteFrom('ceremony').where('browser', '=', row.browser).where('id', 'not in', newest).execute()
}

/** Takes a challenge of one of these kinds, which nobody can take again. */
export async function takeCeremony(
  tx: Transaction,
  kinds: readonly CeremonyKind[],
  { browser, challenge }: Challenged,
): Promise<CeremonyRow | undefined> {
  if (!isSecret(browser) || challenge === undefined) return undefined
  const row = await tx.query
    .selectFrom('ceremony')
    .selectAll()
    .where('hash', '=', hashOf(browser, challenge))
    .where('kind', 'in', kinds)
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
