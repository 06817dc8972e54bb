/** A note is taken of a request when it begins, for the audit log. */
import type { ProjectScope } from '../scope.ts'

/**
 * The author of a change. A person's name is the mail address; that of the command line is the user of the machine. An account is
 * one of a resource, whose id it has.
 */
export interface AuditActor {
  readonly kind: 'token' | 'person' | 'management' | 'command line' | 'account'
  /** Null for the command line. */
  readonly id: number | null
  readonly name: string
}

/** A request that is to change something. */
export interface Requested {
  readonly actor: AuditActor
  readonly scope: ProjectScope | undefined
  /** Method and path with its parameters in braces, or the words of a command. */
  readonly operation: string
  /** The part of the API, such as `servers`. */
  readonly family: string
  /** The resources in the path: ids, and names where paths have names. */
  readonly subjects: readonly (number | string)[]
  /** The status of its answer when it succeeds; 0 for commands. */
  readonly status: number
  /** The id by which the answer and the log name the request; empty for commands. */
  readonly correlationId: string
  /** The network that the caller is in (`clientNetwork`); empty for commands. */
  readonly network: string
}

/**
 * Follows a request until its entry is written. `claimed` means that a transaction which will write it is under way;
 * `closed` that whatever the request started and left behind writes none, nor does its end.
 */
export class Note {
  readonly requested: Requested
  state: 'open' | 'claimed' | 'written' | 'closed' = 'open'
  /** The Project that a request turned out to be about, whose name may be gone when the entry is written. */
  project: { readonly id: number; readonly name: string } | undefined

  /** The resources that it turned out to be about, besides those in its path. */
  found: readonly (number | string)[] = []

  /** The actions that were started in the transaction which writes its entry. */
  started: readonly number[] = []

  /** The resources that this transaction made or changed, besides those in the path. */
  touched: readonly (number | string)[] = []

  constructor(requested: Requested) {
    this.requested = requested
  }
}

/**
 * Says that a transaction makes resources, or changes some that the path of the request does not name by their ids. The
 * entry of the request has them if the transaction commits. Never pass a secret.
 */
export function noteTouched({ note }: { readonly note?: Note }, ...resources: readonly (number | string)[]): void {
  if (note) note.touched = [...note.touched, ...resources]
}
