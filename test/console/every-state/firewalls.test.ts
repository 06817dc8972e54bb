/** The pages of firewalls, addresses and Load Balancers, in every state. */
import { judgeArea } from './judge.ts'

judgeArea('firewalls')
