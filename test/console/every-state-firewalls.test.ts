/** The pages of firewalls, addresses and Load Balancers, in every state. */
import { judgeArea } from './every-state.ts'

judgeArea('firewalls')
