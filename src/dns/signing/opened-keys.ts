/** The keys of signed zones, opened once for as long as they are the same. */
import { partsAt } from '../../families/zones/signing/domain.ts'
import { servedKeys } from '../../families/zones/signing/host.ts'
import { openKey } from '../../families/zones/signing/keys/store.ts'
import type { ZoneKeyRow } from '../../families/zones/tables.ts'
import type { Database } from '../../kernel/data/db.ts'
import type { Secrets } from '../../kernel/secrets/secrets.ts'
import { keyTag } from '../../protocols/net/dns/dnskeys.ts'
import { Remembered } from '../remembered.ts'
import type { SigningKey } from './signatures.ts'
import type { ZoneKeys } from './zone-signer.ts'

interface Opened {
  /** The step of the zone and the ids of its keys. */
  readonly state: string
  readonly keys: ZoneKeys
}

const zonesKept = 5_000

export class OpenedKeys {
  readonly #parts: { readonly db: Database; readonly secrets: Secrets }
  readonly #byZone = new Remembered<number, Opened>(zonesKept)

  constructor(parts: { readonly db: Database; readonly secrets: Secrets }) {
    this.#parts = parts
  }

  /** The keys of a zone, the same object for as long as they are the same; undefined for a zone without keys. */
  async of(zoneId: number): Promise<ZoneKeys | undefined> {
    const found = await servedKeys(this.#parts.db.query, zoneId)
    if (!found || found.keys.length === 0) return undefined
    const state = `${found.step} ${found.keys.map(({ id }) => id).join(' ')}`
    const known = this.#byZone.get(zoneId)
    if (known?.state === state) return known.keys
    const keys = partsAt(found.step, await Promise.all(found.keys.map((row) => this.#open(row))))
    return this.#byZone.set(zoneId, { state, keys }).keys
  }

  async #open(row: ZoneKeyRow): Promise<SigningKey> {
    const dnskey = Buffer.from(row.dnskey, 'base64')
    const { db, secrets } = this.#parts
    return { dnskey, tag: keyTag(dnskey), key: await openKey(db.query, secrets, row) }
  }
}
