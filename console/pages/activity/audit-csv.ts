/** The audit log as the server writes it as CSV, from the newest entry back. */
import { sendText } from '../../api/client.ts'
import type { AnyRequest } from '../../api/operations.ts'

/** The most that the API gives at once, and that a file has. */
const perPage = 1_000
const mostPages = 20

/** Errors: `ApiFailure`. */
export async function auditCsv(project: number | undefined, request: AnyRequest): Promise<string> {
  let file = ''
  let before: number | undefined
  for (let page = 0; page < mostPages; page++) {
    const query = { ...request.query, per_page: perPage, ...(before ? { before } : {}) }
    const text = await sendText(project, { ...request, query }, 'text/csv')
    const [titles = '', ...entries] = text.trimEnd().split('\r\n')
    file += page === 0 ? text : entries.map((one) => `${one}\r\n`).join('')
    // An entry begins with its id, and takes one line.
    before = Number(entries.at(-1)?.split(',')[titles.split(',').indexOf('id')])
    if (entries.length < perPage || !before) break
  }
  return file
}
