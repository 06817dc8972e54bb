/** What lies on top of every page, in every state. */
import { judgeArea } from './every-state.ts'

judgeArea('shell')
