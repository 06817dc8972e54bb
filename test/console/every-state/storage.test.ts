/** The pages of Storage Boxes, in every state. */
import { judgeArea } from './judge.ts'

judgeArea('storage')
