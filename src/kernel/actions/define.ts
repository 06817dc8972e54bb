/**
 * What an action is made of. An operation writes the desired state and starts an action in one transaction; the action's
 * steps then make the world follow. A step reads the desired state at the time it runs and hands the driver all of it,
 * so that it may be repeated, and may come late, without harm.
 */
import type { Queries, Transaction } from '../data/db.ts'
import type { ProjectScope } from '../scope.ts'
import type { Secrets } from '../secrets/secrets.ts'

/** Drivers by name. Each family adds what it needs from the infrastructure by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface Drivers {}

/** A resource that an action names (spec: Common types). */
export interface ResourceRef {
  readonly type: string
  readonly id: number
}

/** Ids and small facts that an action needs to find its desired state; never the state itself. */
export type ActionInput = Readonly<Record<string, number | string | boolean | null>>

export interface StepContext<Input extends ActionInput> {
  readonly actionId: number
  readonly scope: ProjectScope
  readonly input: Input
  readonly query: Queries
  readonly drivers: Drivers
  readonly secrets: Secrets
}

/** Why an action gives up, as its error says it. */
export interface Failure {
  readonly code: string
  readonly message: string
}

export interface Step<Input extends ActionInput, Result = void, Undone = void> {
  readonly name: string
  /** The effect on the world. May run again after a crash, so it repeats without harm. */
  run?(context: StepContext<Input>): Promise<Result>
  /** What the effect means for the database, in the transaction that records the step as done. */
  commit?(tx: Transaction, context: StepContext<Input>, result: Result): Promise<void>
  /** Makes the world follow the reverted desired state. May run again, and even when `run` never did. */
  undo?(context: StepContext<Input>): Promise<Undone>
  /** What the undo means for the database, in the transaction that records the step as undone. */
  undone?(tx: Transaction, context: StepContext<Input>, result: Undone): Promise<void>
}

export interface ActionDefinition<Input extends ActionInput = ActionInput> {
  /** The public name, such as `start_server` (spec: Action). */
  readonly command: string
  /** The family that declares it; together with the command it is the key under which running actions are resumed. */
  readonly family: string
  /** Without steps the action is a success from its first moment. */
  readonly steps: readonly Step<Input>[]
  /** Takes the desired state back, exactly once, when the action gives up; its `undo`s follow. */
  revert?(tx: Transaction, context: StepContext<Input>, failure: Failure): Promise<void>
}

/** Declares a step whose effect, or its undoing, has a result that the database needs. */
export function defineStep<Input extends ActionInput, Result, Undone = void>(
  step: Step<Input, Result, Undone>,
): Step<Input> {
  return step as unknown as Step<Input>
}

/** Declares an action; the type parameter is the shape of its input. */
export function defineAction<Input extends ActionInput>(definition: ActionDefinition<Input>): ActionDefinition<Input> {
  return definition
}

/** Declares an action without steps: a record of what its transaction has done already. */
export function defineRecord(family: string, command: string): ActionDefinition {
  return { family, command, steps: [] }
}

/** The name under which a definition is stored with its running actions. */
export function keyOf(definition: Pick<ActionDefinition, 'family' | 'command'>): string {
  return `${definition.family}/${definition.command}`
}

/** A failure that the infrastructure reports. Its message may be shown to the tenant; its cause is for the log alone. */
export class DriverError extends Error {
  /** Whether the same call may succeed a little later. */
  readonly transient: boolean
  /** What the error of the action is called. */
  readonly code: string

  constructor(message: string, options: { transient: boolean; code?: string; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.transient = options.transient
    this.code = options.code ?? 'action_failed'
  }
}
