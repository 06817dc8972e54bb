/** The pages of Projects and their servers, in every state. */
import { judgeArea } from './every-state.ts'

judgeArea('servers')
