import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnswerParser, BadAnswer } from './answer-parser.ts'

interface Read {
  readonly parts: string[]
  readonly isReusable: boolean
}

/** What is read of an answer whose bytes come in pieces of a size, before its target ends the connection or without that. */
function readIn(size: number, text: string, { method = 'GET', isEnded = false } = {}): Read {
  const parts: string[] = []
  let body = ''
  const parser = new AnswerParser({
    onContinue: () => parts.push('continue'),
    onSwitch: (head, rest) => parts.push(`switch ${head.status} ${rest}`),
    onHead: ({ status, message, rawHeaders }) => parts.push(`${status} ${message} ${rawHeaders.join('|')}`),
    onData: (bytes) => {
      body += bytes.toString('latin1')
    },
    onEnd: (last, trailers) => parts.push(`body ${body}${last?.toString('latin1') ?? ''}`, ...trailers),
  })
  parser.begin(method)
  const bytes = Buffer.from(text, 'latin1')
  for (let at = 0; at < bytes.length; at += size) parser.take(bytes.subarray(at, at + size))
  if (isEnded) parser.end()
  return { parts, isReusable: parser.isReusable }
}

const sized = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none'
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n'

const answers: Readonly<Record<string, { text: string; method?: string; isEnded?: boolean; read: Read }>> = {
  'a length': { text: sized, read: { parts: ['200 OK Content-Length|3', 'body one'], isReusable: true } },
  'no reason, and headers with spaces and bytes around and in them': {
    text: 'HTTP/1.1 404\r\nContent-Length: 0\r\nX-Y:\t a \xfc b \t\r\nX-Empty:\r\n\r\n',
    read: { parts: ['404  Content-Length|0|X-Y|a \xfc b|X-Empty|', 'body '], isReusable: true },
  },
  'chunks, of which one has an extension, and trailers': {
    text: `${chunked}3;a="b"\r\none\r\nA\r\n0123456789\r\n0\r\nX: y\r\nZ: \r\n\r\n`,
    read: { parts: ['200 OK Transfer-Encoding|Chunked', 'body one0123456789', 'X', 'y', 'Z', ''], isReusable: true },
  },
  'chunks without trailers': {
    text: `${chunked}1\r\na\r\n00\r\n\r\n`,
    read: { parts: ['200 OK Transfer-Encoding|Chunked', 'body a'], isReusable: true },
  },
  'no length at all': {
    text: 'HTTP/1.1 200 OK\r\n\r\nall that comes',
    isEnded: true,
    read: { parts: ['200 OK ', 'body all that comes'], isReusable: false },
  },
  'the wish to close': {
    text: sized.replace('\r\n\r\n', '\r\nConnection: x, Close\r\n\r\n'),
    read: { parts: ['200 OK Content-Length|3|Connection|x, Close', 'body one'], isReusable: false },
  },
  'a wish that only looks like the one to close': {
    text: sized.replace('\r\n\r\n', '\r\nConnection: disclosed\r\n\r\n'),
    read: { parts: ['200 OK Content-Length|3|Connection|disclosed', 'body one'], isReusable: true },
  },
  'headers that end with a byte that JavaScript takes for a space': {
    text: `${chunked.replace('\r\n\r\n', '\r\nX-City: voil\xc3\xa0 \r\n\r\n')}0\r\nT: \xc3\xa0\r\n\r\n`,
    read: {
      parts: ['200 OK Transfer-Encoding|Chunked|X-City|voil\xc3\xa0', 'body ', 'T', '\xc3\xa0'],
      isReusable: true,
    },
  },
  'HTTP/1.0': {
    text: sized.replace('1.1', '1.0'),
    read: { parts: ['200 OK Content-Length|3', 'body one'], isReusable: false },
  },
  'no body, as it answers HEAD': {
    text: sized.replace('one', ''),
    method: 'HEAD',
    read: { parts: ['200 OK Content-Length|3', 'body '], isReusable: true },
  },
  'no body, as the status has none': {
    text: 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n',
    read: { parts: ['304 Not Modified Content-Length|5', 'body '], isReusable: true },
  },
  'other answers before it': {
    text: `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n${sized}`,
    read: { parts: ['continue', '200 OK Content-Length|3', 'body one'], isReusable: true },
  },
  'more than one answer': {
    text: `${sized}HTTP/1.1`,
    read: { parts: ['200 OK Content-Length|3', 'body one'], isReusable: false },
  },
}

for (const [name, { text, read, ...asked }] of Object.entries(answers)) {
  test(`an answer with ${name} is the same however it is cut`, () => {
    for (const size of [1, 2, 3, 7, 20, text.length])
      assert.deepEqual(readIn(size, text, asked), read, `pieces of ${size}`)
  })
}

test('an answer that changes the protocol hands over what follows', () => {
  const { parts } = readIn(1_000, 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nmore')
  assert.deepEqual(parts, ['switch 101 more'])
})

const bad: Readonly<Record<string, string>> = {
  'another version': sized.replace('1.1', '2.0'),
  'no version': sized.replace('HTTP/1.1 ', ''),
  'a status of two digits': sized.replace('200', '20'),
  'a status that is none': sized.replace('200', '099'),
  'a line before it': `\r\n${sized}`,
  'lines that end with line feeds': sized.replaceAll('\r\n', '\n'),
  'one line that ends with a line feed': sized.replace('\r\n', '\n'),
  'a space before a colon': sized.replace(': 3', ' : 3'),
  'a header without a name': sized.replace('\r\n\r\n', '\r\n: x\r\n\r\n'),
  'a header without a colon': sized.replace('\r\n\r\n', '\r\nx\r\n\r\n'),
  'a folded header': sized.replace('\r\n\r\n', '\r\nX: y\r\n z\r\n\r\n'),
  'a zero in a header': sized.replace('\r\n\r\n', '\r\nX: \0\r\n\r\n'),
  'a carriage return in a header': sized.replace('\r\n\r\n', '\r\nX: a\rb\r\n\r\n'),
  'a head that is too long': sized.replace('\r\n\r\n', `\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`),
  'a signed length': sized.replace('3', '+3'),
  'a length in hexadecimal': sized.replace('3', '0x3'),
  'no length where one is announced': sized.replace('3', ''),
  'a length with a byte that JavaScript takes for a space': sized.replace('3', '3\xa0'),
  'a coding with a byte that JavaScript takes for a space': chunked.replace('Chunked', 'chunked\xa0'),
  'ever more answers before it': 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(33) + sized,
  'many spaces before a zero': sized.replace('\r\n\r\n', `\r\nX:${' '.repeat(16_000)}\0\r\n\r\n`),
  'two equal lengths': sized.replace('\r\n\r\n', '\r\nContent-Length: 3\r\n\r\n'),
  'a list of lengths': sized.replace('3', '3, 3'),
  'a length that is no number any more': sized.replace('3', '9'.repeat(16)),
  'a length beside chunks': sized.replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n'),
  'two codings': chunked.replace('Chunked', 'chunked, chunked'),
  'a coding in two headers': chunked.replace('\r\n\r\n', '\r\nTransfer-Encoding: chunked\r\n\r\n'),
  'an unknown coding': chunked.replace('Chunked', 'gzip, chunked'),
  'a chunk of a signed size': `${chunked}+1\r\na\r\n0\r\n\r\n`,
  'a chunk of a size with a space before it': `${chunked} 1\r\na\r\n0\r\n\r\n`,
  'a chunk whose size is no number any more': `${chunked}${'f'.repeat(14)}\r\n`,
  'a chunk that is longer than it says': `${chunked}1\r\nab\r\n0\r\n\r\n`,
  'a chunk whose size ends with a line feed': `${chunked}1\na\r\n0\r\n\r\n`,
  'a chunk whose extension never ends': `${chunked}1;${'x'.repeat(17_000)}`,
  'a chunk with an extension that is none': `${chunked}1;\r\na\r\n0\r\n\r\n`,
  'a chunk with a space before its extension': `${chunked}1 ;a\r\na\r\n0\r\n\r\n`,
  'another length in its trailers': `${chunked}0\r\nContent-Length: 3\r\n\r\none`,
  'trailers that are none': `${chunked}0\r\nx\r\n\r\n`,
}

for (const [name, text] of Object.entries(bad)) {
  test(`an answer with ${name} is refused however it is cut`, () => {
    for (const size of [1, 5, text.length]) assert.throws(() => readIn(size, text, { isEnded: true }), BadAnswer)
  })
}

for (const text of ['', sized.slice(0, 20), sized.slice(0, -1), `${chunked}5\r\nhell`, `${chunked}0\r\n`]) {
  test(`an answer that ends after ${text.length} bytes is refused`, () => {
    assert.throws(() => readIn(1_000, text, { isEnded: true }), BadAnswer)
  })
}
