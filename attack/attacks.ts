/** All attacks, in the order in which they run. */
import type { Attack } from './attack.ts'
import { authorization } from './authorization.ts'
import { contention } from './contention.ts'
import { crash } from './crash/crash.ts'
import { disk } from './disk/disk.ts'
import { edge } from './edge/edge.ts'
import { fuzz } from './fuzz/fuzz.ts'
import { lasting } from './lasting.ts'
import { peers } from './peers/peers.ts'
import { signIn } from './sign-in.ts'

export const attacks: readonly Attack[] = [crash, contention, edge, fuzz, authorization, lasting, signIn, peers, disk]
