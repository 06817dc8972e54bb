/** What happens to volumes asynchronously: they are made, resized and removed, and the sets of servers follow. */
import {
  type ActionInput,
  DriverError,
  defineAction,
  defineRecord,
  type Step,
  type StepContext,
} from '../../kernel/actions/define.ts'
import { type ActionStart, toStart } from '../../kernel/actions/store.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { desiredStep } from '../../kernel/resource/desired.ts'
import { holdServers } from '../servers/reads.ts'
import { attaching, states } from './desired.ts'
import { setServer, volumes } from './store.ts'

interface Input extends ActionInput {
  readonly volume: number
}

const ofVolume = ({ volume }: Input): readonly number[] => [volume]

// ---- The volume itself ---------------------------------------------------------------------------------------------

export const createVolume = defineAction<Input>({
  family: 'volumes',
  command: 'create_volume',
  steps: [
    desiredStep(states, {
      name: 'create',
      targets: ofVolume,
      missing: 'the volume no longer exists',
      async done(tx, { scope, input: { volume: id } }) {
        await volumes.set(tx, scope, id, { status: 'available' })
        const volume = await volumes.find(tx.query, scope, id)
        // From now on it has a part in the set of its server.
        if (volume && volume.serverId !== null) await attaching.renew(tx, scope, [volume.serverId])
      },
    }),
  ],
  async revert(tx, { scope, input: { volume: id } }) {
    const volume = await volumes.find(tx.query, scope, id)
    if (volume) await volumes.remove(tx, scope, volume)
    // The infrastructure may have it all the same: the state stays until a driver confirms that it is gone.
    await states.renew(tx, scope, [id])
  },
})

export const resizeVolume = defineAction<Input & { readonly from: number }>({
  family: 'volumes',
  command: 'resize_volume',
  steps: [desiredStep(states, { name: 'resize', targets: ofVolume, missing: 'the volume no longer exists' })],
  async revert(tx, { scope, input }) {
    await volumes.set(tx, scope, input.volume, { size: input.from })
    await states.renew(tx, scope, [input.volume])
  },
})

/** Removes a volume after the request that deleted it was answered. What fails is left to the reconciler. */
export const removeVolume = defineAction<Input>({
  family: 'volumes',
  command: 'delete_volume',
  steps: [desiredStep(states, { name: 'remove', targets: ofVolume })],
})

// ---- Which server has it -------------------------------------------------------------------------------------------

interface AttachmentInput extends Input {
  readonly server: number
  readonly automount: boolean
}

const change = desiredStep<AttachmentInput>(attaching, { name: 'change', targets: ({ server }) => [server] })

/** The creation of the volume or of the server may have failed before this. */
const check: Step<AttachmentInput> = {
  name: 'check',
  async run({ query, scope, input: { volume: id, server } }) {
    const volume = await volumes.find(query, scope, id)
    if (volume?.serverId === server) return
    const what = volume ? 'server' : 'volume'
    throw new DriverError(`the ${what} no longer exists`, { transient: false })
  },
}

/** Gives a volume back the server that it had, if that is still there. */
async function giveBack(
  tx: Transaction,
  { scope, input }: StepContext<AttachmentInput>,
  before: 'attached' | 'detached',
): Promise<void> {
  const known = await holdServers(tx, scope, [input.server])
  const server = before === 'attached' && known.has(input.server) ? input.server : null
  await setServer(tx, scope, input.volume, { server, automount: input.automount })
  await attaching.renew(tx, scope, [...known])
}

export const attachVolume = defineAction<AttachmentInput>({
  family: 'volumes',
  command: 'attach_volume',
  steps: [check, change],
  revert: (tx, context) => giveBack(tx, context, 'detached'),
})

export const detachVolume = defineAction<AttachmentInput>({
  family: 'volumes',
  command: 'detach_volume',
  steps: [change],
  revert: (tx, context) => giveBack(tx, context, 'attached'),
})

export const changeVolumeProtection = defineRecord('volumes', 'change_protection')

export const volumeActions = [
  createVolume,
  resizeVolume,
  removeVolume,
  attachVolume,
  detachVolume,
  changeVolumeProtection,
]

// ---- Their starts --------------------------------------------------------------------------------------------------

/** What an action on a volume names: its server first, if it has one. */
export function involved({ id, serverId }: { readonly id: number; readonly serverId: number | null }) {
  return [...(serverId === null ? [] : [{ type: 'server', id: serverId }]), volumes.ref(id)]
}

/** The action that attaches a volume to a server, or detaches it. They wait for other changes of the same server. */
export function startChange(definition: typeof attachVolume, input: AttachmentInput): ActionStart {
  const resources = involved({ id: input.volume, serverId: input.server })
  return toStart({ definition, input, resources, locks: [volumes.ref(input.volume)], serial: resources })
}

/** The action that makes a volume, or makes it larger. */
export function startMaking<I extends Input>(
  definition: Parameters<typeof toStart<I>>[0]['definition'],
  input: I,
  resources: ActionStart['resources'],
): ActionStart {
  const volume = volumes.ref(input.volume)
  return toStart({ definition, input, resources, locks: [volume], serial: [volume] })
}
