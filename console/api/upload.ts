/** Sends a file of the browser as it is, and tells how much of it has gone, which `fetch` does not. */
import { addressOf, answerOf, unanswered } from './client.ts'
import { type AnyRequest, operationOf } from './operations.ts'

interface Sending {
  /** Told the bytes that have gone, again and again. */
  readonly onSent: (bytes: number) => void
  /** Ends it; then it fails with the reason of the signal. */
  readonly signal: AbortSignal
}

/** Sends a file as the body of a request that takes plain bytes. Errors: `ApiFailure`. */
export function upload(
  project: number | undefined,
  request: AnyRequest,
  file: Blob,
  { onSent, signal }: Sending,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest()
    sent.open(operationOf(request.operation).method, addressOf(project, request))
    sent.setRequestHeader('content-type', 'application/octet-stream')
    sent.upload.addEventListener('progress', ({ loaded }) => onSent(loaded))
    sent.addEventListener('load', () => resolve(answerOf(responseOf(sent), true)))
    sent.addEventListener('error', () => reject(unanswered(true)))
    sent.addEventListener('abort', () => reject(signal.reason))
    const abort = () => sent.abort()
    signal.addEventListener('abort', abort)
    // The same signal is there for all pieces of a file.
    sent.addEventListener('loadend', () => signal.removeEventListener('abort', abort))
    sent.send(file)
  })
}

function responseOf(sent: XMLHttpRequest): Response {
  const headers = sent.getAllResponseHeaders().trim().split('\r\n')
  return new Response(sent.responseText, {
    status: sent.status,
    statusText: sent.statusText,
    headers: headers.map((line): [string, string] => {
      const at = line.indexOf(':')
      return [line.slice(0, at), line.slice(at + 1).trim()]
    }),
  })
}
