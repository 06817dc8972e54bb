/** Pages that need no token, such as the reference. Concurrent requests for a page share one rendering. */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type Encoding, isCompressible, pack, preferredEncoding } from '../api/compress.ts'
import { prefersHtml } from '../api/weights.ts'

/** A page outside the contract. It needs no token and is not charged to any Project. */
export interface OpenPage {
  readonly path: string
  /**
   * Not charged to anybody, because refusing it would cost as much as answering. Supervisors poll health every second.
   */
  readonly isFree?: boolean
  answer(): Promise<PageAnswer>
  /** The variant for callers that prefer HTML, such as browsers. */
  html?(): Promise<PageAnswer>
}

export interface PageAnswer {
  readonly status: number
  readonly type: string
  readonly body: string
  /** A page without headers on caching may be kept and is asked for again each time. */
  readonly headers?: Record<string, string>
}

/** A page as sent to one caller. */
export interface SentPage {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body?: Buffer
}

type Serve = (asked: IncomingHttpHeaders) => Promise<SentPage>

/** Serves a page; the response depends on the request's headers. */
export function servePage(page: OpenPage): Serve {
  if (!page.html) return serve(() => page.answer())
  const html = page.html.bind(page)
  const [asJson, asHtml] = [serve(() => page.answer(), 'accept'), serve(html, 'accept')]
  return (asked) => (prefersHtml(asked.accept) ? asHtml(asked) : asJson(asked))
}

/** `varies` is a request header, besides Accept-Encoding, on which the response depends. */
function serve(answer: () => Promise<PageAnswer>, varies?: string): Serve {
  let answering: Promise<PageAnswer> | undefined
  let kept: KeptBody | undefined
  return async (asked) => {
    answering ??= answer().finally(() => {
      answering = undefined
    })
    const { status, type, body, headers } = await answering
    if (kept?.text !== body) kept = new KeptBody(body)
    return kept.send({ status, headers: { ...headers, 'content-type': type } }, asked, varies)
  }
}

/** The last body of a page, in each encoding requested so far. */
class KeptBody {
  readonly text: string
  readonly #etag: string
  readonly #encodings = new Map<Encoding, Promise<Buffer>>()

  constructor(text: string) {
    this.text = text
    // Weak, because it is the same for all encodings.
    this.#etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  }

  async send({ status, headers }: SentPage, asked: IncomingHttpHeaders, varies?: string): Promise<SentPage> {
    const isLong = isCompressible(this.text)
    const vary = [...(varies ? [varies] : []), ...(isLong ? ['accept-encoding'] : [])].join(', ')
    const all = { 'cache-control': status === 200 ? 'no-cache' : 'no-store', ...headers, ...(vary ? { vary } : {}) }
    if (status === 200) Object.assign(all, { etag: this.#etag })
    if (status === 200 && names(asked['if-none-match'], this.#etag)) return { status: 304, headers: all }
    const encoding = isLong ? preferredEncoding(asked['accept-encoding']) : 'identity'
    if (encoding !== 'identity') Object.assign(all, { 'content-encoding': encoding })
    return { status, headers: all, body: await this.#as(encoding) }
  }

  #as(encoding: Encoding): Promise<Buffer> {
    const known = this.#encodings.get(encoding)
    if (known) return known
    const made = Promise.resolve(pack(this.text, encoding)).catch((error: unknown) => {
      this.#encodings.delete(encoding)
      throw error
    })
    this.#encodings.set(encoding, made)
    return made
  }
}

/** Tells whether an If-None-Match header matches a body's ETag (RFC 9110, 13.1.2). */
function names(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((text) => text.trim() === '*' || `W/${text.trim().replace(/^W\//, '')}` === etag)
}
