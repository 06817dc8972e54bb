/** Does a server run on this database? */
import { failure, fine, type Seen } from '../../kernel/process/seen.ts'
import { DatabaseAway, type Patient } from '../patient.ts'

const start = 'start wolke serve with this database'

export async function checkProcess({ isServing, open, processes }: Patient): Promise<readonly Seen[]> {
  try {
    const running = await processes(await open())
    if (running.length > 0) return [fine('process', `runs as ${running.join(', ')}`)]
  } catch (error) {
    // The server answers all the same.
    if (!(error instanceof DatabaseAway) || !isServing) throw error
    return [fine('process', 'runs')]
  }
  return [failure('process', 'no wolke serve runs on this database', start)]
}
