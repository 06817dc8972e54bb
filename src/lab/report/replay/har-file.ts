/** Reads the requests of a HAR file. */
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { publicRootOf } from '../../../kernel/contract/bases.ts'
import { printable } from '../printable.ts'

/** A recorded request with its answer. */
export interface Step {
  /** The number of its entry in the file, from 1. */
  readonly number: number
  readonly method: string
  /** Below the base URL, with its query; the whole URL of one that is foreign. */
  readonly path: string
  /** True for a request that is none to this API. */
  readonly isForeign: boolean
  readonly body: unknown
  readonly status: number
  /** Undefined where the file has none. */
  readonly answer: unknown
  /** True when its body was too large to be recorded. */
  readonly isCut: boolean
}

const HarFile = Type.Object({
  log: Type.Object({
    entries: Type.Array(
      Type.Object({
        request: Type.Object({
          method: Type.String(),
          url: Type.String(),
          postData: Type.Optional(Type.Object({ text: Type.Optional(Type.String()) })),
        }),
        response: Type.Object({
          status: Type.Integer(),
          content: Type.Optional(Type.Object({ text: Type.Optional(Type.String()) })),
        }),
        _wolke: Type.Optional(Type.Object({ is_cut: Type.Optional(Type.Boolean()) })),
      }),
    ),
  }),
})
type HarEntry = Static<typeof HarFile>['log']['entries'][number]

const methods = ['GET', 'POST', 'PUT', 'DELETE']

/** Throws an Error that says in one line what is wrong with the file. */
export function readHar(text: string): readonly Step[] {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    throw new Error('is not JSON')
  }
  const check = Compile(HarFile)
  if (!check.Check(file)) {
    const [{ instancePath, message }] = check.Errors(file) as unknown as [{ instancePath: string; message: string }]
    throw new Error(`is no HAR file: ${instancePath || 'it'} ${message}`)
  }
  return file.log.entries.map(toStep)
}

function toStep({ request, response, _wolke }: HarEntry, index: number): Step {
  const number = index + 1
  const url = URL.canParse(request.url) ? new URL(request.url) : undefined
  const path = url && url.pathname + url.search
  const root = path && publicRootOf(path)
  if (!root || !methods.includes(request.method)) return foreign(number, request)
  return {
    number,
    method: request.method,
    path: path.slice(root.length),
    isForeign: false,
    body: parsed(request.postData?.text, number),
    status: response.status,
    answer: parsed(response.content?.text, number),
    isCut: _wolke?.is_cut ?? false,
  }
}

function foreign(number: number, { method, url }: HarEntry['request']): Step {
  const shown = { method: printable(method.slice(0, 20)), path: printable(url.slice(0, 200)) }
  return { number, ...shown, isForeign: true, body: undefined, status: 0, answer: undefined, isCut: false }
}

function parsed(text: string | undefined, number: number): unknown {
  if (text === undefined || text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`entry ${number} has a body that is not JSON`)
  }
}
