/** What it costs a server that it measures what it does. */
import { copyFileSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { filledFile } from './fill.ts'
import type { Workshop } from './processes.ts'
import type { Row } from './report.ts'
import { compareRequests, connections, pathsOf } from './requests.ts'
import type { Effort } from './rounds.ts'

const firewalls = 1_000
/** Far more often than Prometheus asks by default. */
const scrapeMs = 1_000

/** GET of one firewall on a server whose metrics are read once a second, compared with the same server without metrics. */
export async function metrics(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const serve = async (name: string, more: readonly string[]) => {
    const file = workshop.file(name)
    copyFileSync(await filledFile(firewalls), file)
    return workshop.serve(`sqlite:${file}`, { more })
  }
  const ready = workshop.file('ready.json')
  const measured = await serve('measured.db', ['--metrics-listen', '127.0.0.1:0', '--ready-file', ready])
  const plain = await serve('plain.db', [])
  const end = scrape((JSON.parse(readFileSync(ready, 'utf8')) as { metrics_url: string }).metrics_url)
  const generate = workshop.generator()
  const job = { method: 'GET', connections, paths: pathsOf(firewalls) } as const
  const compared = await compareRequests(effort, {
    wolke: (seconds) => generate({ ...job, url: measured.url, seconds }),
    bare: (seconds) => generate({ ...job, url: plain.url, seconds }),
  })
  const scrapes = await end()
  const note = `compared with a server without metrics; ${scrapes} scrapes`
  return [
    {
      ...{ name: 'GET firewall by id, measured', ...compared, note },
      bar: { text: 'ratio >= 0.97', met: compared.ratio >= 0.97 },
    },
  ]
}

/** Reads metrics again and again; the returned function ends that, and tells how often they were read. */
function scrape(url: string): () => Promise<number> {
  const ended = new AbortController()
  const { signal } = ended
  let scrapes = 0
  const reading = (async () => {
    while (!signal.aborted) {
      await (await fetch(url, { headers: { accept: 'application/openmetrics-text' } })).text()
      scrapes++
      await delay(scrapeMs, undefined, { signal }).catch(() => undefined)
    }
  })()
  return async () => {
    ended.abort()
    await reading
    return scrapes
  }
}
