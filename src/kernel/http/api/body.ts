/** The body of a request, which is JSON. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Endpoint } from '../../contract/contract.ts'
import { maxBodyBytes, parseJson, parseLargeJson } from '../../contract/input.ts'
import { ApiError } from '../../errors.ts'
import { inTurns } from '../../process/turns.ts'

/** Reads the bytes of a body whose length is known, and not too large. Errors: a client that leaves. */
export function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const fail = (error = new Error('the client has left')) => reject(Object.assign(error, { statusCode: 400 }))
    if (request.destroyed) return fail()
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    request.on('error', fail)
    // It is closed after its end, too, where an error with its stack would be made for nobody.
    request.on('close', () => request.readableEnded || fail())
  })
}

/**
 * Parses a body; one that is larger than most in turns with other work. Errors: `json_error`; 415 `invalid_input` for what
 * is said to be something else.
 */
export async function readBody(
  headers: IncomingHttpHeaders,
  bytes: Buffer,
  endpoint: Pick<Endpoint, 'file' | 'maxBodyKeys'> = {},
): Promise<unknown> {
  const encoding = headers['content-encoding']
  if (encoding && encoding !== 'identity') {
    throw new ApiError('invalid_input', 'compressed request bodies are not accepted', { status: 415 })
  }
  const type = headers['content-type']
  if (endpoint.file && type === 'application/octet-stream') return { file: bytes.toString('base64') }
  if (bytes.length > 0 && type && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new ApiError('invalid_input', 'send the body as Content-Type: application/json', { status: 415 })
  }
  const { maxBodyKeys } = endpoint
  return bytes.length > maxBodyBytes ? inTurns(parseLargeJson(bytes, maxBodyKeys)) : parseJson(bytes, maxBodyKeys)
}
