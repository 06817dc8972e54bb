/** A process of the doors that is killed at any moment: what was acknowledged is there, whole. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { SftpClient } from '../../src/drivers/storage/doors/sftp/client.ts'
import { openFlags, types } from '../../src/drivers/storage/doors/sftp/packets.ts'
import { isLong } from '../run/long.ts'
import { accountFor, type DoorsFixture, missing, password } from './kit/doors.ts'
import { arrived, childrenOf, processOf, programPid } from './kit/process.ts'

const cycles = isLong ? 200 : 8
const longestMs = 400

/** Writes files by SFTP, each with fsync, until the connection breaks. Notes those that were acknowledged. */
async function writeBySftp(fixture: DoorsFixture, cycle: number, kept: Map<string, Buffer>): Promise<void> {
  const args = ['-p', `${fixture.sshPort}`, ...fixture.options(), 'u1@127.0.0.1', '-s', 'sftp']
  const child = fixture.start('ssh', args)
  child.stdin.on('error', () => undefined)
  try {
    const client = new SftpClient(child.stdout, child.stdin)
    await client.init()
    for (let n = 0; ; n++) {
      const [name, content] = [`sftp-${cycle}-${n}`, randomBytes(1 + ((n * 7919) % 120_000))]
      const flags = openFlags.write | openFlags.create | openFlags.truncate
      const handle = (await client.ask(types.open, `/${name}`, flags, { mode: 0o644 })).body.bytes()
      for (let at = 0; at < content.length; at += 32_768) {
        await client.tell(types.write, handle, BigInt(at), content.subarray(at, at + 32_768))
      }
      await client.tell(types.extended, 'fsync@openssh.com', handle)
      kept.set(name, content)
      await client.tell(types.close, handle)
    }
  } catch {
    // The process was killed.
  } finally {
    child.kill('SIGKILL')
  }
}

/** The same by WebDAV, over files that are there. */
async function writeByWebdav(
  port: number,
  cycle: number,
  kept: Map<string, Buffer>,
  asked: Map<string, Buffer>,
): Promise<void> {
  const authorization = `Basic ${Buffer.from(`u1:${password}`).toString('base64')}`
  try {
    for (let n = 0; ; n++) {
      const [name, body] = [`webdav-${n % 5}`, Buffer.from(`${cycle} ${n} `.repeat(1 + ((n * 7919) % 9_000)))]
      asked.set(name, body)
      const { status } = await fetch(`http://127.0.0.1:${port}/${name}`, {
        method: 'PUT',
        headers: { authorization },
        body,
      })
      if (status === 201 || status === 204) kept.set(name, body)
    }
  } catch {
    // The process was killed.
  }
}

test(`${cycles} times a killed process loses nothing that was acknowledged`, { skip: missing('ssh') }, async (t) => {
  const { fixture, box, set, doors } = await processOf(t)
  await set(await accountFor(fixture))
  let kept = 0
  for (let cycle = 0; cycle < cycles; cycle++) {
    const [bySftp, byWebdav, asked] = [new Map<string, Buffer>(), new Map<string, Buffer>(), new Map<string, Buffer>()]
    const pid = programPid()
    const clients = [writeBySftp(fixture, cycle, bySftp), writeByWebdav(doors.opened.webdav!, cycle, byWebdav, asked)]
    await delay(((cycle * 7919) % longestMs) + (cycle % 2 ? 100 : 0))
    const servers = childrenOf(pid)
    process.kill(pid, 'SIGKILL')
    await Promise.all(clients)
    await arrived(() => servers.every((server) => !isRunning(server)))
    for (const [name, content] of bySftp) assert.ok(readFileSync(join(box.files, name)).equals(content), name)
    for (const [name, content] of byWebdav) {
      const found = readFileSync(join(box.files, name))
      // The last one may have been written without an answer.
      assert.ok(found.equals(content) || found.equals(asked.get(name)!), name)
    }
    kept += bySftp.size + byWebdav.size
    await arrived(() => childrenOf(process.pid).some((child) => child !== pid && isDoors(child)))
    await answering(doors.opened.webdav!)
  }
  assert.ok(kept > 0)
  t.diagnostic(`${kept} files were acknowledged`)
  await arrived(() => readdirSync(box.files).every((name) => !name.startsWith('.wolke-put-')))
})

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** A process that has ended has no command, whether anybody has asked for its end or not. */
const isRunning = (pid: number) => commandOf(pid) !== ''
const isDoors = (pid: number) => commandOf(pid).includes('doors')

async function answering(port: number): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(20)) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    if (answer) return
  }
  assert.fail('nobody answers')
}
