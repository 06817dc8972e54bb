/** Requests and answers, which are nearly the same in HTTP/1.1 and HTTP/2, and where they differ. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { AnswerHead } from '../targets/answer-parser.ts'

/** The stream of a request or an answer of HTTP/2; undefined for HTTP/1.1. Their types are those of HTTP/1.1 for both. */
export function streamOf(message: IncomingMessage | ServerResponse): ServerHttp2Stream | undefined {
  return (message as { stream?: ServerHttp2Stream }).stream
}

/** Makes the connection end after the answer. HTTP/2 needs no such thing. */
export function endAfter(answer: ServerResponse): void {
  if (!streamOf(answer)) answer.shouldKeepAlive = false
}

/** Begins an answer. `headers` is a flat list. Errors: those of headers that must not be sent. */
export function beginAnswer(answer: ServerResponse, { status, message }: AnswerHead, headers: string[]): void {
  if (streamOf(answer)) answer.writeHead(status, headers)
  else answer.writeHead(status, message, headers)
}

/** Lets the client send the body of its request, if it still waits for that. */
export function sendContinue(answer: ServerResponse): void {
  // A stream that the client has closed throws.
  if (!answer.headersSent && !streamOf(answer)?.destroyed) answer.writeContinue()
}

const internalError = 2

/** Lets the client see that an answer is not complete. */
export function breakOff(answer: ServerResponse): void {
  const stream = streamOf(answer)
  if (stream) {
    brokenOff.add(stream)
    stream.close(internalError)
  } else answer.destroy()
}

const brokenOff = new WeakSet<ServerHttp2Stream>()

/** Whether it was this side that ended a stream before its answer was complete. */
export function isBrokenOff(stream: ServerHttp2Stream): boolean {
  return brokenOff.has(stream)
}

const reasons = {
  400: 'Bad Request',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
} as const
export type Refusal = keyof typeof reasons

/** Answers a request that no target answers. */
export function refuse(request: IncomingMessage, answer: ServerResponse, status: Refusal): void {
  const text = `${reasons[status]}\n`
  // What the client still sends has no reader.
  if (!request.complete) endAfter(answer)
  answer.writeHead(status, { 'Content-Type': 'text/plain', 'Content-Length': text.length })
  answer.end(text)
}
