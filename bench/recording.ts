/** What it costs a server that its requests are recorded. */
import { copyFileSync } from 'node:fs'
import { filledFile } from './fill.ts'
import type { Workshop } from './processes.ts'
import type { Row } from './report.ts'
import { compareRequests, connections, pathsOf } from './requests.ts'
import type { Effort } from './rounds.ts'

const firewalls = 1_000

/** GET of one firewall on a server with a lab, compared with the same server without one. */
export async function recording(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const serve = async (name: string, more: readonly string[]) => {
    const file = workshop.file(name)
    copyFileSync(await filledFile(firewalls), file)
    return workshop.serve(`sqlite:${file}`, { more })
  }
  const [recorded, plain] = [await serve('lab.db', ['--lab']), await serve('plain.db', [])]
  const generate = workshop.generator()
  const job = { method: 'GET', connections, paths: pathsOf(firewalls) } as const
  const compared = await compareRequests(effort, {
    wolke: (seconds) => generate({ ...job, url: recorded.url, seconds }),
    bare: (seconds) => generate({ ...job, url: plain.url, seconds }),
  })
  const bar = { text: 'ratio >= 0.9', met: compared.ratio >= 0.9 }
  return [{ name: 'GET firewall by id, recorded', ...compared, note: 'compared with a server without a lab', bar }]
}
