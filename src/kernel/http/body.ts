/** The body of a request, which is JSON. */
import type { IncomingHttpHeaders } from 'node:http'
import { parseJson } from '../contract/input.ts'
import { ApiError } from '../errors.ts'

/** Parses a body. Errors: `json_error`; 415 `invalid_input` for what is said to be something else. */
export function readBody(headers: IncomingHttpHeaders, bytes: Buffer): unknown {
  const encoding = headers['content-encoding']
  if (encoding && encoding !== 'identity') {
    throw new ApiError('invalid_input', 'compressed request bodies are not accepted', { status: 415 })
  }
  const type = headers['content-type']
  if (bytes.length > 0 && type && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new ApiError('invalid_input', 'send the body as Content-Type: application/json', { status: 415 })
  }
  return parseJson(bytes)
}
