/** The list of attacks, in the order in which they are carried out. */
import type { Attack } from './attack.ts'
import { crash } from './crash/crash.ts'
import { edge } from './edge/edge.ts'

export const attacks: readonly Attack[] = [crash, edge]
