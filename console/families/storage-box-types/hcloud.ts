/** Storage Box types for the hcloud command line. */
import { catalogue, type Forms, paging } from '../../commands/hcloud/forms.ts'
import type { Contract } from './contract.ts'

/** The minor version that was the first to have these commands. */
const since = 55

const { list, get } = catalogue('storage-box-type', paging)

export const hcloud: Forms<Contract> = { list: { ...list, since }, get: { ...get, since } }
