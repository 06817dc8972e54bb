/** Any request as a command of curl, derived from the row of its operation alone. */
import { type Asked, type OperationRow, pathOf, type Rendered } from './request.ts'
import { commandLine, Expanded, piped, type Word } from './shell.ts'

interface CurlOptions {
  /** The URL of the root of the API that the request is for. */
  readonly endpoint: string
  /** The variable with the token. */
  readonly token?: 'HCLOUD_TOKEN' | 'MANAGEMENT_TOKEN'
  /** The rows of what is asked afterwards. */
  readonly rowOf?: (operation: string) => OperationRow
}

/** Linux takes no argument of a program that is longer than 128 KiB, and a character is four bytes at most. */
const longestArgument = 32_000

/** Renders a request for curl. */
export function toCurl(asked: Asked, row: OperationRow, options: CurlOptions): Rendered {
  const { endpoint, token: variable = 'HCLOUD_TOKEN', rowOf } = options
  const url = endpoint + pathOf(asked, row)
  const token = ['--header', new Expanded('Authorization: Bearer ', variable)]
  // `--json` would be shorter, but curl has it only since 7.82.
  const json = asked.body === undefined ? undefined : JSON.stringify(asked.body)
  const isLong = json !== undefined && json.length > longestArgument
  const data: Word[] = isLong ? ['--data-binary', '@-'] : ['--data-raw', json ?? '']
  const body: Word[] = json === undefined ? [] : ['--header', 'Content-Type: application/json', ...data]
  // Brackets and braces in a URL are not patterns here.
  const globs: Word[] = /[[\]{}]/.test(url) ? ['--globoff'] : []
  const line = commandLine(['curl', ...globs, ...methodOf(row), ...token, ...body, url], true)
  const first = isLong ? piped(json, line) : line
  const further = (asked.afterwards ?? []).map((operation) => {
    const next = rowOf!(operation)
    const [before, after] = next.path.split('{id}')
    return commandLine(['curl', ...methodOf(next), ...token, new Expanded(endpoint + before, 'id', after)], true)
  })
  return { text: further.length === 0 ? first : [`reply=$(${first})`, ...readId, ...further].join('\n') }
}

const methodOf = ({ method }: OperationRow): readonly Word[] => (method === 'GET' ? [] : ['--request', method])

/** Shows a reply, which may have a password, and takes the id of what was made from its beginning. */
const readId = [
  `printf '%s\\n' "$reply"`,
  `id=$(printf %s "$reply" | sed -n 's/^{"[a-z_]*":{"id":\\([0-9]*\\),.*/\\1/p')`,
]
