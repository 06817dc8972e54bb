/** The pages of all Projects and of the installation, in every state. */
import { judgeArea } from './judge.ts'

judgeArea('admin')
