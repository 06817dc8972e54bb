/** Storage Box types for the hcloud command line. */
import { catalogue, type Forms, paging } from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

export const hcloud: Forms<Contract> = catalogue('storage-box-type', paging)
