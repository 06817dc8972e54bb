/** The pages of Projects and their servers, in every state. */
import { judgeArea } from './judge.ts'

judgeArea('servers')
