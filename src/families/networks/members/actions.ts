/** Servers join networks, leave them and change their addresses there. */
import { type ActionInput, defineAction, type Step, type StepContext } from '../../../kernel/actions/define.ts'
import { type ActionStart, toStart } from '../../../kernel/actions/store.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { desiredStep } from '../../../kernel/resource/desired.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { serversByIds } from '../../servers/reads.ts'
import { state } from '../desired.ts'
import { memberKinds } from './attachments.ts'
import { interfaces } from './desired.ts'
import { placesOf, removeMember, setMember } from './store.ts'

interface Input extends ActionInput {
  readonly server: number
  readonly network: number
}

type Settle = (tx: Transaction, scope: ProjectScope, member: { networkId: number; serverId: number }) => Promise<void>

/** An action that hands over the interfaces of a server; the database follows its success or its failure. */
function memberAction(
  command: string,
  {
    first = [],
    done,
    undone,
  }: { readonly first?: readonly Step<Input>[]; readonly done: Settle; readonly undone: Settle },
) {
  const settle =
    (how: Settle) =>
    (tx: Transaction, { scope, input }: StepContext<Input>) =>
      how(tx, scope, { networkId: input.network, serverId: input.server })
  return defineAction<Input>({
    family: 'networks',
    command,
    steps: [
      ...first,
      desiredStep<Input>(interfaces, {
        name: 'interfaces',
        targets: ({ server }) => [server],
        done: settle(done),
        tell: tellOthers,
      }),
    ],
    async revert(tx, context) {
      const { scope, input } = context
      await settle(undone)(tx, context)
      // One that could not be made has nothing that could be desired of it.
      const [server] = await serversByIds(tx.query, scope, [input.server])
      if (server) await interfaces.renew(tx, scope, [server.id])
      await tellOthers(tx, context)
    },
  })
}

/** Other members may know the server by its address in the network. */
async function tellOthers(tx: Transaction, { scope, input }: StepContext<Input>): Promise<void> {
  for (const { readdress } of memberKinds) await readdress?.(tx, scope, input.server, input.network)
}

const settled: Settle = (tx, scope, member) => setMember(tx, scope, member, { status: 'ok', formerAliasIps: null })

async function takeAliasesBack(
  tx: Transaction,
  scope: ProjectScope,
  member: { networkId: number; serverId: number },
): Promise<void> {
  const all = await placesOf(tx.query, scope, [member.serverId])
  const former = all.find(({ networkId }) => networkId === member.networkId)?.formerAliasIps
  await setMember(tx, scope, member, { status: 'ok', formerAliasIps: null, ...(former ? { aliasIps: former } : {}) })
}

/** A network comes into being without an action, so that it may not be out there yet when a server joins it. */
const makeNetwork = desiredStep<Input>(state, { name: 'network', targets: ({ network }) => [network] })

export const attachToNetwork = memberAction('attach_to_network', {
  first: [makeNetwork],
  done: settled,
  undone: removeMember,
})
export const detachFromNetwork = memberAction('detach_from_network', { done: removeMember, undone: settled })
export const changeAliasIps = memberAction('change_alias_ips', { done: settled, undone: takeAliasesBack })

export const memberActions = [attachToNetwork, detachFromNetwork, changeAliasIps]

/** The action that gives a server the interfaces that are desired of it. Only one on its own holds the server. */
export function startMember(
  definition: typeof attachToNetwork,
  { server: id, network }: Input,
  holdsServer: boolean,
): ActionStart {
  const server = { type: 'server', id }
  return toStart({
    definition,
    input: { server: id, network },
    resources: [server, { type: 'network', id: network }],
    serial: [server],
    ...(holdsServer ? { locks: [server] } : {}),
  })
}
