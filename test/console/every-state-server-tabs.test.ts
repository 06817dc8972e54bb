/** The pages of the tabs of a server, in every state. */
import { judgeArea } from './every-state.ts'

judgeArea('server-tabs')
