/** The pages of tokens, members, settings, activity, raw requests and the own account, in every state. */
import { judgeArea } from './judge.ts'

judgeArea('access')
