/** The pages of zones, certificates, networks, volumes, images, SSH keys and placement groups, in every state. */
import { judgeArea } from './judge.ts'

judgeArea('resources')
