/** Clients that write files until their door dies, and note what was acknowledged. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SftpClient } from '../../../src/drivers/storage/doors/sftp/client.ts'
import { openFlags, types } from '../../../src/drivers/storage/doors/sftp/packets.ts'
import { type DoorsFixture, password } from './doors.ts'

const digestOf = (content: Buffer) => createHash('sha256').update(content).digest('base64')

/** What a box has to hold: names, in the order in which they were acknowledged first, with the digests of their contents. */
export class Acknowledged {
  readonly #kept = new Map<string, string>()
  /** What was sent later and not acknowledged; it may be there instead. */
  readonly #asked = new Map<string, string[]>()

  get size(): number {
    return this.#kept.size
  }

  ask(name: string, content: Buffer): void {
    this.#asked.set(name, [...(this.#asked.get(name) ?? []), digestOf(content)])
  }

  keep(name: string, content: Buffer): void {
    this.#kept.set(name, digestOf(content))
    this.#asked.delete(name)
  }

  /** Fails unless a directory holds all of it, or the first ones of those that were written once. */
  check(directory: string, count = this.#kept.size): void {
    for (const [name, digest] of [...this.#kept].slice(0, count)) this.#checkOne(directory, name, digest)
    // What was never acknowledged is whole where it is there at all.
    const others = [...this.#asked.keys()].filter((name) => !this.#kept.has(name))
    for (const name of others) if (existsSync(join(directory, name))) this.#checkOne(directory, name)
  }

  #checkOne(directory: string, name: string, digest?: string): void {
    const found = readFileSync(join(directory, name))
    const mayBe = [digest, ...(this.#asked.get(name) ?? [])]
    assert.ok(mayBe.includes(digestOf(found)), `${name} has ${found.length} bytes of another content`)
  }
}

/** A session of SFTP through `ssh`, what opens new files in it, and what ends it. */
export function sftpTo(fixture: DoorsFixture, username: string) {
  const args = ['-p', `${fixture.sshPort}`, ...fixture.options(), `${username}@127.0.0.1`, '-s', 'sftp']
  const child = fixture.start('ssh', args)
  child.stdin.on('error', () => undefined)
  const client = new SftpClient(child.stdout, child.stdin)
  const flags = openFlags.write | openFlags.create | openFlags.truncate
  return {
    client,
    begin: () => client.init(),
    open: async (path: string) => (await client.ask(types.open, path, flags, { mode: 0o644 })).body.bytes(),
    end: () => void child.kill('SIGKILL'),
  }
}

/** Writes files by SFTP, each under a name of its own with fsync, until the connection breaks or it is enough. */
export async function writeBySftp(
  fixture: DoorsFixture,
  username: string,
  prefix: string,
  acknowledged: Acknowledged,
  isEnough = () => false,
): Promise<void> {
  const { client, begin, open, end } = sftpTo(fixture, username)
  try {
    await begin()
    for (let n = 0; !isEnough(); n++) {
      const [name, content] = [`${prefix}-${n}`, randomBytes(1 + ((n * 7919) % 120_000))]
      const handle = await open(`/${name}`)
      for (let at = 0; at < content.length; at += 32_768) {
        await client.tell(types.write, handle, BigInt(at), content.subarray(at, at + 32_768))
      }
      await client.tell(types.extended, 'fsync@openssh.com', handle)
      acknowledged.keep(name, content)
      await client.tell(types.close, handle)
    }
  } catch {
    // The door died, or was not open yet.
  } finally {
    end()
  }
}

/** What is written as file N of a cycle; it says how long it is. */
const bodyOf = (cycle: number, n: number) => Buffer.from(`${cycle} ${n} `.repeat(1 + ((n * 7919) % 9_000)))

/** Fails unless each of those files is one of them, whole. */
export function checkWhole(directory: string): void {
  for (const name of readdirSync(directory).filter((name) => name.startsWith('webdav-'))) {
    const found = readFileSync(join(directory, name))
    const [, cycle, n] = /^(\d+) (\d+) /.exec(found.subarray(0, 20).toString()) ?? []
    assert.ok(found.equals(bodyOf(Number(cycle), Number(n))), `${name} has ${found.length} bytes of another content`)
  }
}

/** Writes the same five files by WebDAV again and again, until nobody answers or it is enough. */
export async function writeByWebdav(
  port: number,
  username: string,
  cycle: number,
  acknowledged: Acknowledged,
  isEnough = () => false,
): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  try {
    for (let n = 0; !isEnough(); n++) {
      const [name, body] = [`webdav-${n % 5}`, bodyOf(cycle, n)]
      acknowledged.ask(name, body)
      const url = `http://127.0.0.1:${port}/${name}`
      const { status } = await fetch(url, { method: 'PUT', headers: { authorization }, body })
      if (status === 201 || status === 204) acknowledged.keep(name, body)
    }
  } catch {
    // The door died.
  }
}
