/** Prices for the hcloud command line. */
import { type Forms, noCommand } from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = { get: noCommand }
