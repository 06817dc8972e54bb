/** What happens to servers asynchronously. Every step hands the driver the whole desired state of one server. */
import { lockProject } from '../../kernel/access/projects.ts'
import {
  type ActionDefinition,
  type ActionInput,
  DriverError,
  defineAction,
  defineRecord,
  defineStep,
  type StepContext,
} from '../../kernel/actions/define.ts'
import { type ActionStart, startAction } from '../../kernel/actions/store.ts'
import type { Action } from '../../kernel/actions/tables.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { type Confirmed, type Desired, desiredStep } from '../../kernel/resource/desired.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { attachments } from './attachments.ts'
import { isConnected, state } from './desired.ts'
import {
  confirmPower,
  deleteServer,
  forgetFormer,
  rememberFormer,
  restingOf,
  restoreFormer,
  revertPower,
  servers,
  setPower,
  setRescue,
} from './store.ts'

export interface Input extends ActionInput {
  readonly server: number
}

export type Context = StepContext<Input>

/** What every action on a server names, waits for and, if it changes its power, locks. */
export function onServer(id: number): Pick<ActionStart, 'resources' | 'locks' | 'serial'> {
  const server = { type: 'server', id }
  return { resources: [server], locks: [server], serial: [server] }
}

/** What steps say of the only server that an action is about. */
export const ofServer = {
  targets: ({ server }: Input): readonly number[] => [server],
  missing: 'the server no longer exists',
}

/** What of a server is in the infrastructure and comes and goes with it, in the order in which rows are locked. */
const hanging = () => [state, ...attachments.flatMap(({ desired }) => desired ?? [])]

/** Deletes what the database has of a server; `wasMade` is false for one whose creation failed. */
async function leave(tx: Transaction, { scope, input }: Context, wasMade: boolean): Promise<void> {
  const id = input.server
  // Who is applying a firewall to it right now goes first, and then what that brought is taken out too.
  await lockProject(tx, scope, 'share')
  await servers.hold(tx, scope, [id], 'update')
  // The infrastructure may have a part of it: the state stays until a driver confirms that it is gone.
  if (wasMade) await state.forget(tx, scope, id)
  else await state.renew(tx, scope, [id])
  for (const { detach, desired } of attachments) {
    await detach(tx, scope, id, wasMade)
    await desired?.forget(tx, scope, id)
  }
  await deleteServer(tx, scope, id)
}

export const createServer = defineAction<Input & { readonly starts: boolean }>({
  family: 'servers',
  command: 'create_server',
  steps: [
    desiredStep(state, {
      name: 'create',
      ...ofServer,
      // It is made without power: its packet filter comes before its first breath.
      async done(tx, { scope, input: { server, starts } }) {
        if (!starts) return confirmPower(tx, scope, server, 'off')
        await setPower(tx, scope, server, { power: 'on', manner: 'hard', status: 'starting' })
        await state.renew(tx, scope, [server])
      },
    }),
  ],
  revert: (tx, context) => leave(tx, context, false),
})

/** The server is as desired and rests. Its first boot with a rescue system has used that up. */
export async function rest(tx: Transaction, { scope, input, actionId }: Context): Promise<void> {
  const [server] = await restingOf(tx.query, scope, input.server)
  if (!server) return
  const { power, power_in_force, cycle, rescue_until } = server
  const booted = power === 'on' && (power_in_force === 'off' || cycle === actionId)
  await confirmPower(tx, scope, input.server, power)
  if (booted && rescue_until !== null) await setRescue(tx, scope, input.server, null)
}

/** An action that changes a server, and takes the change back when it fails. */
export function changeAction(command: string, step: string): ActionDefinition<Input> {
  return defineAction<Input>({
    family: 'servers',
    command,
    steps: [
      desiredStep(state, {
        name: step,
        ...ofServer,
        async done(tx, context) {
          await rest(tx, context)
          await forgetFormer(tx, context.scope, context.input.server)
        },
      }),
    ],
    async revert(tx, { scope, input }) {
      await restoreFormer(tx, scope, input.server)
      await revertPower(tx, scope, input.server)
      await state.renew(tx, scope, [input.server])
    },
  })
}

/**
 * Starts such an action on a server that the transaction has locked, before the change is written. `hold` locks what else
 * the change needs, in its place in the order of locks. Errors: `locked`, and those of `hold`.
 */
export async function startChange(
  tx: Transaction,
  scope: ProjectScope,
  definition: ActionDefinition<Input>,
  id: number,
  hold: () => Promise<void> = async () => undefined,
): Promise<Action> {
  await state.renew(tx, scope, [id])
  await hold()
  const action = await startAction(tx, scope, { definition, input: { server: id }, ...onServer(id) })
  await rememberFormer(tx, scope, id)
  return action
}

/** A server may have lost its last network since its start was asked for: then it stays off. */
async function checkConnected({ query, scope, input }: Context): Promise<void> {
  if (await isConnected(query, scope, input.server)) return
  throw new DriverError('the server is in no network', { transient: false })
}

function powerAction(command: string, check?: (context: Context) => Promise<void>) {
  return defineAction<Input>({
    family: 'servers',
    command,
    steps: [
      desiredStep(state, {
        name: 'power',
        ...ofServer,
        check,
        done: rest,
      }),
    ],
    async revert(tx, { scope, input }) {
      await revertPower(tx, scope, input.server)
      await state.renew(tx, scope, [input.server])
    },
  })
}

export const startServer = powerAction('start_server', checkConnected)
export const stopServer = powerAction('stop_server')
export const shutdownServer = powerAction('shutdown_server')
export const rebootServer = powerAction('reboot_server')
export const resetServer = powerAction('reset_server')

type Returned = readonly (readonly [Desired, Confirmed | undefined])[]

const remove = defineStep<Input, void, Returned>({
  name: 'remove',
  async run({ query, scope, drivers, input }) {
    const generation = await state.generation(query, scope, input.server)
    const server = await servers.find(query, scope, input.server)
    // A worker that comes too late may find that the deletion was taken back: then the server stays.
    if (server?.status !== 'deleting' || generation === undefined) return
    await drivers.servers.remove(server.id, generation, server.locationId)
  },
  commit: (tx, context) => leave(tx, context, true),
  // The removal may have happened although it failed: then the server comes back behind its packet filter. It comes
  // before what hangs on it, since only then a call of the removal that is still under way takes none of that along.
  async undo(context) {
    const returned: [Desired, Confirmed | undefined][] = []
    for (const desired of hanging()) {
      returned.push([desired, await desired.enforce(context, context.input.server)])
    }
    return returned
  },
  async undone(tx, { scope, input }, returned) {
    for (const [desired, confirmed] of returned) {
      if (confirmed) await desired.confirm(tx, scope, input.server, confirmed)
    }
  },
})

export const destroyServer = defineAction<Input>({
  family: 'servers',
  command: 'delete_server',
  steps: [remove],
  async revert(tx, { scope, input }) {
    await revertPower(tx, scope, input.server)
    for (const desired of hanging()) await desired.renew(tx, scope, [input.server])
  },
})

export const changeServerProtection = defineRecord('servers', 'change_protection')

export const serverActions = [
  createServer,
  startServer,
  stopServer,
  shutdownServer,
  rebootServer,
  resetServer,
  destroyServer,
  changeServerProtection,
]
