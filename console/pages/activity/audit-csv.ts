/** The audit log as the server writes it as CSV, from the newest entry back. */
import { sendText } from '../../api/client.ts'
import type { AnyRequest } from '../../api/operations.ts'

/** The most that the API gives at once, and that a file has: more is for `wolke audit`. */
const perPage = 1_000
const mostPages = 200

interface AuditFile {
  readonly text: string
  /** The number of its entries if there are older ones, which it leaves out. */
  readonly cutAt: number | undefined
}

/** Errors: `ApiFailure`. */
export async function auditCsv(project: number | undefined, request: AnyRequest): Promise<AuditFile> {
  let text = ''
  let entries = 0
  let before: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const query = { ...request.query, per_page: perPage, ...(before ? { before } : {}) }
    const [part, link] = await sendText(project, { ...request, query }, 'text/csv')
    const titlesEnd = part.indexOf('\r\n') + 2
    text += page === 0 ? part : part.slice(titlesEnd)
    // An entry takes one line.
    entries += part.slice(titlesEnd).split('\r\n').length - 1
    // Pages can be short, or empty, before the last one: only the link tells.
    before = /[?&]before=(\d+)/.exec(link ?? '')?.[1]
    if (!before) return { text, cutAt: undefined }
  }
  return { text, cutAt: entries }
}
