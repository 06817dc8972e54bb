/** Any request as a command of curl, derived from the row of its operation alone. */
import { type Asked, type OperationRow, pathOf, type Rendered } from './request.ts'
import { commandLine, Expanded, type Word } from './shell.ts'

interface CurlOptions {
  /** The base URL of the API, such as `https://cloud.example.com/v1`. */
  readonly endpoint: string
  /** The variable with the token. */
  readonly token?: 'HCLOUD_TOKEN' | 'MANAGEMENT_TOKEN'
}

/** Renders a request for curl. */
export function toCurl(asked: Asked, row: OperationRow, options: CurlOptions): Rendered {
  const { endpoint, token: variable = 'HCLOUD_TOKEN' } = options
  const url = endpoint + pathOf(asked, row)
  const method: Word[] = row.method === 'GET' ? [] : ['--request', row.method]
  const token = ['--header', new Expanded(`Authorization: Bearer $${variable}`)]
  // `--json` would be shorter, but curl has it only since 7.82.
  const body: Word[] =
    asked.body === undefined
      ? []
      : ['--header', 'Content-Type: application/json', '--data-raw', JSON.stringify(asked.body)]
  // Brackets and braces in a URL are not patterns here.
  const globs: Word[] = /[[\]{}]/.test(url) ? ['--globoff'] : []
  return { text: commandLine(['curl', ...globs, ...method, ...token, ...body, url], true) }
}
