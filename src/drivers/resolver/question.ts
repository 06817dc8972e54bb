/** Questions to one name server, which answers with what it knows itself: over UDP, and over TCP where that is too short. */
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { connect, isIPv6 } from 'node:net'
import { type AnswerSections, readSections } from '../../protocols/net/dns/answers.ts'
import { type NameKey, nameOf } from '../../protocols/net/dns/names.ts'
import { headerBytes } from '../../protocols/net/dns/wire.ts'

/** A name server by its address. */
export interface AskedServer {
  readonly address: string
  readonly port: number
}

/** The answer of a server, and the message with the data of its records. */
export interface ServerAnswer extends AnswerSections {
  readonly message: Buffer
}

/** The longest time for an answer over UDP, and over TCP, in milliseconds. */
const answerMs = 1_500
const maxTcpBytes = 65_535

/** Asks a server, without recursion. Undefined when it does not answer, or with something else than an answer. */
export async function askServer(
  server: AskedServer,
  { name, type }: { readonly name: string; readonly type: number },
): Promise<ServerAnswer | undefined> {
  const query = queryFor(nameOf(name), type)
  const answer = sectionsOf(await overUdp(server, query))
  return answer?.isTruncated ? sectionsOf(await overTcp(server, query)) : answer
}

function queryFor(name: NameKey, type: number): Buffer {
  const head = Buffer.alloc(headerBytes)
  head.writeUInt16BE(randomInt(65_536), 0)
  head[5] = 1
  return Buffer.concat([head, Buffer.from(name, 'latin1'), Buffer.of(type >> 8, type & 0xff, 0, 1)])
}

function sectionsOf(message: Buffer | undefined): ServerAnswer | undefined {
  const sections = message && readSections(message)
  return sections && { ...sections, message: message! }
}

/** Tells whether a message is the answer to a query: the same id and the same question, in letters of any case. */
function isAnswer(query: Buffer, message: Buffer): boolean {
  if (message.length < query.length || (message[2]! & 0x80) === 0) return false
  const questionOf = (bytes: Buffer) => bytes.toString('latin1', headerBytes, query.length).toLowerCase()
  return message.readUInt16BE(0) === query.readUInt16BE(0) && questionOf(message) === questionOf(query)
}

function overUdp({ address, port }: AskedServer, query: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
    const end = (answer: Buffer | undefined) => {
      clearTimeout(timer)
      socket.removeAllListeners('message')
      socket.close()
      resolve(answer)
    }
    const timer = setTimeout(() => end(undefined), answerMs)
    socket.once('error', () => end(undefined))
    socket.on('message', (message) => {
      if (isAnswer(query, message)) end(message)
    })
    // Of a connected socket, only messages of that server arrive, and the news that nobody listens there.
    socket.connect(port, address, () => socket.send(query))
  })
}

function overTcp({ address, port }: AskedServer, query: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: answerMs })
    const chunks: Buffer[] = []
    const end = (answer?: Buffer) => {
      socket.destroy()
      resolve(answer)
    }
    socket
      .on('timeout', () => end())
      .on('error', () => end())
      .on('close', () => end())
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      const all = Buffer.concat(chunks)
      if (all.length > 2 + maxTcpBytes) end()
      else if (all.length >= 2 && all.length >= 2 + all.readUInt16BE(0)) {
        const message = all.subarray(2, 2 + all.readUInt16BE(0))
        end(isAnswer(query, message) ? message : undefined)
      }
    })
    socket.write(Buffer.concat([Buffer.of(query.length >> 8, query.length & 0xff), query]))
  })
}
