/** The pages before the console, in every state. */
import { judgeDoors } from './every-state.ts'

judgeDoors()
