/** Locations for the hcloud command line. */
import { catalogue, type Forms, sorted } from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = catalogue('location', sorted)
