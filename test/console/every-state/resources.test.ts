/** The pages of all resources but servers and what is theirs alone, in every state. */
import { judgeArea } from './judge.ts'

judgeArea('resources')
