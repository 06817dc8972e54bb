/** Storage Boxes for the hcloud command line. */
import { type Forms, Refusal } from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = { list: new Refusal('notHere') }
