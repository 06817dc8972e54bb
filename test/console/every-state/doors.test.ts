/** The pages before the console, in every state. */
import { judgeDoors } from './judge.ts'

judgeDoors()
