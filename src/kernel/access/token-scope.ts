/**
 * A scope limits a token to a part of what its access grants. Each part that is missing grants everything of its kind.
 * docs/tokens.md says what a scope grants, and a test holds it against this file.
 */
import { matches, type Selector, storedSelector } from '../contract/selectors.ts'
import { ApiError } from '../errors.ts'

/** A scope as it is stored and shown. */
export interface ScopeText {
  /** Names of families, such as `servers`. */
  readonly families?: readonly string[]
  /** `read`, `create`, `update`, `delete`, `actions` for all commands, or single commands such as `reboot`. */
  readonly verbs?: readonly string[]
  readonly label_selector?: string
}

export interface TokenScope {
  readonly text: ScopeText
  readonly families: ReadonlySet<string> | undefined
  readonly verbs: ReadonlySet<string> | undefined
  /** Selects the resources that the token sees; undefined for all. */
  readonly within: Selector | undefined
}

/** The verbs that are no commands. */
export const generalVerbs = ['read', 'create', 'update', 'delete', 'actions'] as const

/** The family whose endpoints read actions of all families. Every scope with the verb `read` grants it. */
const actionsFamily = 'actions'

/** Reads a scope that was checked when it was stored; undefined when it limits nothing. */
export function toTokenScope(text: ScopeText): TokenScope | undefined {
  const { families, verbs, label_selector } = text
  if (!families && !verbs && label_selector === undefined) return undefined
  return {
    text,
    families: families && new Set(families),
    verbs: verbs && new Set(verbs),
    within: label_selector === undefined ? undefined : storedSelector(label_selector),
  }
}

/** The fields of an endpoint that a scope judges. */
export interface Operation {
  readonly method: keyof typeof verbsOfMethods
  readonly family?: string
  readonly command?: string
}

/** The family that an endpoint counts to; the empty text for one that no scope grants. */
export function familyOf({ family = '' }: Pick<Operation, 'family'>): string {
  return family
}

const verbsOfMethods = { GET: 'read', POST: 'create', PUT: 'update', DELETE: 'delete' } as const

/** The command that an endpoint carries out; undefined for those that are no actions. */
export function commandOf({ command }: Operation): string | undefined {
  return command
}

/** The verb of an endpoint: its command, or what its method does. */
export function verbOf(operation: Operation): string {
  return commandOf(operation) ?? verbsOfMethods[operation.method]
}

/** The refusal of an operation that a scope does not grant; undefined when it does. Refusals: `forbidden`. */
export function beyondScope({ text, families, verbs }: TokenScope, operation: Operation): ApiError | undefined {
  const family = familyOf(operation)
  if (families && family !== actionsFamily && !families.has(family))
    return refused(text, `this token has no access to ${family}, only to ${text.families!.join(', ')}`, { family })
  const verb = verbOf(operation)
  if (!verbs || verbs.has(verb) || (verbs.has('actions') && commandOf(operation) !== undefined)) return undefined
  return refused(text, `this token may not ${verb} ${family}, only ${text.verbs!.join(', ')}`, { verb })
}

/** The refusal of what a scope cannot narrow to the resources that it selects. */
export function beyondSelector({ text }: TokenScope, what: string): ApiError {
  const { label_selector } = text
  const message = `this token only sees resources with the labels ${label_selector}; ${what}`
  return refused(text, message, { label_selector })
}

/** 403 `forbidden` that says what the scope lacks. */
function refused(scope: ScopeText, message: string, lacks: Readonly<Record<string, unknown>>): ApiError {
  return new ApiError('forbidden', message, { details: { lacks, scope } })
}

/** Tells whether a scope shows a resource with these labels. */
export function shows({ within }: TokenScope, labels: Readonly<Record<string, string>>): boolean {
  return within === undefined || matches(within, labels)
}
