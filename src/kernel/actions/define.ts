/**
 * The parts of an action. An operation writes the desired state and starts an action in one transaction; the steps of
 * the action then bring the actual state in line. A step reads the desired state when it runs and passes all of it to
 * the driver, so repeating a step or running it late does no harm.
 */
import type { Queries, Transaction } from '../data/db.ts'
import type { AtOnce } from '../process/at-once.ts'
import type { ProjectScope } from '../scope.ts'
import type { Secrets } from '../secrets/secrets.ts'

export { DriverError } from '../../protocols/driver-error.ts'

/**
 * Drivers of what runs the machines of a location, by name: each infrastructure has its own. Families add the interfaces of
 * theirs by declaration merging, and everything that has to know all of them does not compile until it does.
 */
// biome-ignore lint/suspicious/noEmptyInterface: families add to it.
export interface MachineDrivers {}

/** What drivers that are in the memory of this process know. */
export interface DriverMemory {
  /** The newest generation that one has seen of a target, of the kind of desired state that has this name. */
  seen(of: string, id: number): AtOnce<number | undefined>
}

/** All drivers by name. Families add those of which an installation has one. */
export interface Drivers extends MachineDrivers {
  /** Undefined where all drivers are outside of this process, or nobody knows. */
  readonly memory?: DriverMemory
  /** How long one call may take, in milliseconds, where these drivers need longer than their callers would wait. */
  readonly callTimeoutMs?: number
}

/** A driver whose calls may take hours says which. */
export interface LongCalls {
  /**
   * The names of methods that a step asks for again and again until they have ended, however long that takes: the same call
   * joins the one that is under way, and one that has ended well already has nothing left to do.
   */
  readonly longCalls?: ReadonlySet<string> | undefined
}

/** Tells how much of a call is done, from 0 to 1. May be called as often as a driver likes. */
export type Report = (share: number) => void

/** A resource that an action names (spec: Common types). */
export interface ResourceRef {
  readonly type: string
  readonly id: number
}

/** Ids and small facts with which an action finds its desired state; never the state itself. */
export type ActionInput = Readonly<Record<string, number | string | boolean | null>>

export interface StepContext<Input extends ActionInput> {
  readonly actionId: number
  readonly scope: ProjectScope
  readonly input: Input
  readonly query: Queries
  readonly drivers: Drivers
  readonly secrets: Secrets
  /** Shows in the progress of the action how much of the step is done. */
  readonly report: Report
}

/** The code and message in the error of an action that gave up. */
export interface ActionError {
  readonly code: string
  readonly message: string
}

export interface Step<Input extends ActionInput, Result = void, Undone = void> {
  readonly name: string
  /** The effect on the infrastructure. It must be idempotent, because it may run again after a crash. */
  run?(context: StepContext<Input>): Promise<Result>
  /** Database changes that follow from the effect, in the transaction that records the step as done. */
  commit?(tx: Transaction, context: StepContext<Input>, result: Result): Promise<void>
  /** Brings the infrastructure back to the reverted desired state. It may run again, even when `run` never did. */
  undo?(context: StepContext<Input>): Promise<Undone>
  /** Database changes that follow from the undo, in the transaction that records the step as undone. */
  undone?(tx: Transaction, context: StepContext<Input>, result: Undone): Promise<void>
}

export interface ActionDefinition<Input extends ActionInput = ActionInput> {
  /** The public name, such as `start_server` (spec: Action). */
  readonly command: string
  /** The family that declares it. Family and command together are the key under which running actions are resumed. */
  readonly family: string
  /** An action without steps is created as a success. */
  readonly steps: readonly Step<Input>[]
  /** Reverts the desired state when the action gives up, exactly once; the `undo`s of its steps follow. */
  revert?(tx: Transaction, context: StepContext<Input>, failure: ActionError): Promise<void>
}

/** Declares a step whose `run` or `undo` returns a result that the database needs. */
export function defineStep<Input extends ActionInput, Result, Undone = void>(
  step: Step<Input, Result, Undone>,
): Step<Input> {
  return step as unknown as Step<Input>
}

/** Declares an action; the type parameter is the shape of its input. */
export function defineAction<Input extends ActionInput>(definition: ActionDefinition<Input>): ActionDefinition<Input> {
  return definition
}

/** Declares an action without steps, which records what its transaction has already done. */
export function defineRecord(family: string, command: string): ActionDefinition {
  return { family, command, steps: [] }
}

/** The key under which running actions refer to their definition. */
export function keyOf(definition: Pick<ActionDefinition, 'family' | 'command'>): string {
  return `${definition.family}/${definition.command}`
}
