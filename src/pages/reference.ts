/** Serves the API reference for the date of the clock. */
import { createBrotliDecompress } from 'node:zlib'
import { calendar } from '../calendar.ts'
import { publicBase } from '../kernel/contract/bases.ts'
import type { OpenPage } from '../kernel/http/pages/open-pages.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Edition } from './edition.ts'
import { htmlPage } from './html-page.ts'

/** GET /v1/openapi.json and GET /docs. The latest edition is cached. */
export function referencePages(clock: Clock): OpenPage[] {
  let kept: { readonly start: number; readonly edition: Promise<Edition> } | undefined
  const editionNow = () => {
    const start = editionStart(clock.now())
    if (kept?.start !== start) kept = { start, edition: editionAt(start) }
    return kept.edition
  }
  return [
    {
      path: `${publicBase}/openapi.json`,
      async answer() {
        const { document } = await editionNow()
        return { status: 200, type: 'application/json; charset=utf-8', body: document }
      },
    },
    {
      path: '/docs',
      async answer() {
        const { page } = await editionNow()
        return htmlPage(page)
      },
    },
  ]
}

/** The start, in ms since the epoch, of the edition that holds at `nowMs`. */
function editionStart(nowMs: number): number {
  return calendar.findLast(({ fromMs }) => fromMs <= nowMs)?.fromMs ?? 0
}

/** Bundles contain all editions, rendered at build time; sources render an edition on demand. */
async function editionAt(nowMs: number): Promise<Edition> {
  const { packedEditions } = await import('./packed-editions.ts')
  if (packedEditions !== undefined) return unpack(packedEditions, nowMs)
  const { renderEdition } = await import('./edition.ts')
  return renderEdition(nowMs)
}

/** All editions together are tens of megabytes: those after the one that holds are not kept, and those before not read. */
async function unpack(packed: string, nowMs: number): Promise<Edition> {
  const lines = linesOf(createBrotliDecompress().end(Buffer.from(packed, 'base64')))
  let from: number | undefined
  for await (const line of lines) {
    if (from === undefined) from = Number(line)
    else if (from <= nowMs) return JSON.parse(line.toString())
    else from = undefined
  }
  throw new Error('there is no edition of the reference for this time')
}

async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  for await (const chunk of bytes) {
    let start = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)])
      parts = []
      start = end + 1
    }
    parts.push(chunk.subarray(start))
  }
}
