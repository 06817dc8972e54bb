/** A doctor looks at an installation through these: in the server that runs it, or from outside while none does. */
import type { Database } from '../kernel/data/db.ts'
import type { SmtpServer } from '../kernel/mail/smtp.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Keyring } from '../kernel/secrets/kek.ts'

/** The protocol of a listener. */
export type Speech = 'api' | 'http' | 'dns' | 'ssh'

/** A place where the server was told to listen. */
export interface Listener {
  readonly name: string
  /** The option that names it. */
  readonly option: string
  readonly speaks: Speech
  readonly isTls: boolean
  readonly host: string
  readonly port: number
}

/** What options and files say. Whoever knows them hands them on. */
export interface Surroundings {
  /** The file of the database; undefined for one in memory or on a server. */
  readonly file: string | undefined
  readonly folders: readonly { readonly name: string; readonly option: string; readonly path: string }[]
  readonly keyFile: string | undefined
  readonly previousKeyFile: string | undefined
  /** Empty before they are open. */
  readonly listeners: readonly Listener[]
  /** The chain that the API shows, in PEM. */
  readonly tlsCertificate: string | undefined
  readonly smtp: SmtpServer | undefined
  /** Says why doors of Storage Boxes are closed; undefined where they are open. */
  readonly doorsClosed: string | undefined
  /** The resolver through which delegation is looked up; undefined uses that of the machine, `off` looks at nothing. */
  readonly delegation: 'off' | { readonly resolver: string | undefined }
  readonly clusters: readonly LookedAt[]
}

/** A cluster of hosts. Errors of looking at it: one line for the operator. */
export interface LookedAt {
  readonly name: string
  look(): Promise<readonly { readonly what: string; readonly isFine: boolean; readonly says: string }[]>
}

export interface Patient extends Surroundings {
  readonly isServing: boolean
  readonly clock: Clock
  /** The database as it is. Errors: `DatabaseAway`. */
  open(): Promise<Database>
  /** The keys by which the secrets are opened. Errors: one line for the operator. */
  keys(): Promise<Keyring | undefined>
  /** What is said of the processes that serve it. */
  readonly processes: (db: Database) => Promise<readonly string[]>
  /** True while writes work; undefined where nobody watches. */
  readonly health:
    | (() => Promise<{ readonly writes: 'ok' | 'failing'; readonly database: 'ok' | 'damaged' }>)
    | undefined
  /** The names of our name servers, absolute. */
  readonly nameservers: readonly string[]
  /** The root of the embedded authority in PEM; undefined for another authority. */
  readonly root: (() => Promise<string>) | undefined
}

/** The database cannot be asked; what would have been read of it is unknown. */
export class DatabaseAway extends Error {}
