/** What lies on top of every page, in every state. */
import { judgeArea } from './judge.ts'

judgeArea('shell')
