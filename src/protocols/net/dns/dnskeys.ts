/**
 * Keys of signed zones as DNS has them (RFC 4034, 5702, 6605, 7344): DNSKEY, DS, CDS and CDNSKEY records. Every key is one
 * of ECDSA with P-256 and SHA-256, and signs the records of its zone as well as its keys.
 */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import type { NameKey } from './names.ts'

/** ECDSAP256SHA256 (RFC 6605). */
export const algorithm = 13
const sha256 = 2
/** A key of a zone that a DS record may lead to. */
const flags = 257
const protocol = 3

/** The data of the DNSKEY record of a public key, which the CDNSKEY record has as well. */
export function dnskeyData(key: KeyObject): Buffer {
  const { x, y } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  const point = [x, y].map((part) => Buffer.from(part!, 'base64url'))
  return Buffer.concat([Buffer.of(flags >> 8, flags & 0xff, protocol, algorithm), ...point])
}

/** The number by which records lead to a key (RFC 4034, appendix B). */
export function keyTag(dnskey: Buffer): number {
  let sum = 0
  for (const [index, byte] of dnskey.entries()) sum += index % 2 === 0 ? byte << 8 : byte
  return (sum + (sum >> 16)) & 0xffff
}

/** The data of the DS record that leads to a key of a zone. */
export function dsData(zone: NameKey, dnskey: Buffer): Buffer {
  const tag = keyTag(dnskey)
  const digest = createHash('sha256').update(Buffer.from(zone, 'latin1')).update(dnskey).digest()
  return Buffer.concat([Buffer.of(tag >> 8, tag & 0xff, algorithm, sha256), digest])
}

/** CDS and CDNSKEY records that ask a parent for no DS records at all (RFC 8078, 4). */
export const withdrawal = { cds: Buffer.of(0, 0, 0, 0, 0), cdnskey: Buffer.of(0, 0, protocol, 0, 0) }
