/** What happens to the ISOs of servers. */
import { defineAction } from '../../../kernel/actions/define.ts'
import { desiredStep } from '../../../kernel/resource/desired.ts'
import { type Input, ofServer } from '../actions.ts'
import { state } from '../desired.ts'
import { servers } from '../store.ts'

interface IsoInput extends Input {
  /** The ISO that comes back when the action fails. */
  readonly former: number | null
}

function isoAction(command: string) {
  return defineAction<IsoInput>({
    family: 'servers',
    command,
    steps: [desiredStep(state, { name: 'drive', ...ofServer })],
    async revert(tx, { scope, input: { server, former } }) {
      await servers.set(tx, scope, server, { iso: former })
      await state.renew(tx, scope, [server])
    },
  })
}

export const attachIso = isoAction('attach_iso')
export const detachIso = isoAction('detach_iso')

export const isoActions = [attachIso, detachIso]
