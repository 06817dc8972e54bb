/** Files with snapshots through the API. The code for them is loaded when somebody asks for one. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { invalidInput } from '../../kernel/errors.ts'
import type { labEndpoints } from '../contract.ts'
import type { Snapshot, States } from '../states.ts'
import type { TransferOptions } from './transfer.ts'

interface FileParts {
  /** Errors: `unsupported_error`. */
  states(): States
  /** Errors: `unsupported_error`. */
  options(): TransferOptions
  /** Errors: `invalid_input`. */
  checkedName(name: string): string
  toWire(snapshot: Snapshot): { name: string; now: string; size: number }
}

export function fileRoutes({
  states,
  options,
  checkedName,
  toWire,
}: FileParts): Pick<Handlers<typeof labEndpoints>, 'exportSnapshot' | 'importSnapshot'> {
  return {
    async exportSnapshot({ params: { name } }) {
      const state = states().get(name)
      const { exportState } = await import('./transfer.ts')
      return { file: (await exportState(state, options())).toString('base64') }
    },
    async importSnapshot({ params: { name }, body: { file } }) {
      const [kept, own] = [states(), options()]
      const checked = checkedName(name)
      const [{ importState }, { BadSnapshot }] = await Promise.all([import('./transfer.ts'), import('./format.ts')])
      try {
        return { snapshot: toWire(kept.keep(checked, await importState(Buffer.from(file, 'base64'), own))) }
      } catch (error) {
        if (error instanceof BadSnapshot) throw invalidInput([{ field: 'file', message: error.message }])
        throw error
      }
    },
  }
}
