/** Any request as a command of curl, derived from the row of its operation alone. */
import { type Asked, type OperationRow, pathOf, type Rendered } from './request.ts'
import { commandLine, Expanded, type Word } from './shell.ts'

interface CurlOptions {
  /** The base URL of the API, such as `https://cloud.example.com/v1`. */
  readonly endpoint: string
}

/** Renders a request for curl; the token is that of the variable `HCLOUD_TOKEN`. */
export function toCurl(asked: Asked, row: OperationRow, { endpoint }: CurlOptions): Rendered {
  const url = endpoint + pathOf(asked, row)
  const method: Word[] = row.method === 'GET' ? [] : ['--request', row.method]
  const token = ['--header', new Expanded('Authorization: Bearer $HCLOUD_TOKEN')]
  // `--json` would be shorter, but curl has it only since 7.82.
  const body: Word[] =
    asked.body === undefined
      ? []
      : ['--header', 'Content-Type: application/json', '--data-raw', JSON.stringify(asked.body)]
  // Brackets and braces in a URL are not patterns here.
  const globs: Word[] = /[[\]{}]/.test(url) ? ['--globoff'] : []
  return { text: commandLine(['curl', ...globs, ...method, ...token, ...body, url], true) }
}
