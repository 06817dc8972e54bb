/** The records of an answer from another name server, as untrusted bytes. */
import { lowerName, type NameKey } from './names.ts'
import { headerBytes, readName, skipName } from './wire.ts'

/** A record of an answer, whose data is at an offset of its message. */
export interface AnsweredRecord {
  readonly owner: NameKey
  readonly type: number
  readonly dataAt: number
  readonly dataEnd: number
}

/** An answer by sections. */
export interface AnswerSections {
  readonly rcode: number
  readonly isAuthoritative: boolean
  readonly isTruncated: boolean
  readonly answer: readonly AnsweredRecord[]
  readonly authority: readonly AnsweredRecord[]
}

/** The length of type, class, TTL and data length, which stand between a record's owner and its data. */
const fixedBytes = 10

/** Reads the answer to one question; undefined when it is malformed. */
export function readSections(message: Buffer): AnswerSections | undefined {
  if (message.length < headerBytes || message.readUInt16BE(4) !== 1) return undefined
  const questionEnd = skipName(message, headerBytes)
  if (questionEnd < 0) return undefined
  const answer: AnsweredRecord[] = []
  const authority: AnsweredRecord[] = []
  let at = questionEnd + 4
  for (const [countAt, section] of [[6, answer] as const, [8, authority] as const]) {
    for (let index = message.readUInt16BE(countAt); index > 0; index--) {
      const owner = readName(message, at)
      const fixed = skipName(message, at)
      if (owner === undefined || fixed < 0 || fixed + fixedBytes > message.length) return undefined
      const dataAt = fixed + fixedBytes
      const dataEnd = dataAt + message.readUInt16BE(fixed + 8)
      if (dataEnd > message.length) return undefined
      section.push({ owner: lowerName(owner), type: message.readUInt16BE(fixed), dataAt, dataEnd })
      at = dataEnd
    }
  }
  const [flags, rcode] = [message[2]!, message[3]! & 0xf]
  return { rcode, isAuthoritative: (flags & 4) !== 0, isTruncated: (flags & 2) !== 0, answer, authority }
}
