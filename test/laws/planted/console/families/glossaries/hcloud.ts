/** Glossaries for the hcloud command line, which does not know them. */
import { actionForms, type Forms, noCommand } from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = {
  ...actionForms,
  list: noCommand,
  create: noCommand,
  get: noCommand,
  update: noCommand,
  remove: noCommand,
  publish: noCommand,
}
