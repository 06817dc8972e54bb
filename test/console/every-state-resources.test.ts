/** The pages of zones, certificates, networks, volumes, images, SSH keys and placement groups, in every state. */
import { judgeArea } from './every-state.ts'

judgeArea('resources')
