/** The pages of the tabs of a server, in every state. */
import { judgeArea } from './judge.ts'

judgeArea('server-tabs')
