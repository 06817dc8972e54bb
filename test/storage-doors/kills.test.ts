/** A process of the doors that is killed at any moment: what was acknowledged is there, whole. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isLong } from '../run/long.ts'
import { accountFor, missing } from './kit/doors.ts'
import { arrived, childrenOf, commandOf, isRunning, processOf, programPid } from './kit/process.ts'
import { Acknowledged, writeBySftp, writeByWebdav } from './kit/writers.ts'

const cycles = isLong ? 200 : 8
const longestMs = 400

test(`${cycles} times a killed process loses nothing that was acknowledged`, { skip: missing('ssh') }, async (t) => {
  const { fixture, box, set, doors } = await processOf(t)
  await set(await accountFor(fixture))
  // Names of SFTP are new in each cycle, so that those of former ones are looked at again in the end alone.
  const [all, byWebdav] = [[] as Acknowledged[], new Acknowledged()]
  for (let cycle = 0; cycle < cycles; cycle++) {
    const bySftp = new Acknowledged()
    all.push(bySftp)
    const pid = programPid()
    const clients = [
      writeBySftp(fixture, 'u1', `sftp-${cycle}`, bySftp),
      writeByWebdav(doors.opened.webdav!, 'u1', cycle, byWebdav),
    ]
    // Every other time there is something to lose, however busy the machine is.
    if (cycle % 2) await arrived(() => bySftp.size > 0 && byWebdav.size > 0)
    await delay((cycle * 7919) % longestMs)
    const servers = childrenOf(pid)
    process.kill(pid, 'SIGKILL')
    await Promise.all(clients)
    await arrived(() => servers.every((server) => !isRunning(server)))
    for (const acknowledged of [bySftp, byWebdav]) acknowledged.check(box.files)
    await arrived(() => childrenOf(process.pid).some((child) => child !== pid && commandOf(child).includes('doors')))
    await answering(doors.opened.webdav!)
  }
  const kept = all.reduce((sum, { size }) => sum + size, 0)
  for (const acknowledged of all) acknowledged.check(box.files)
  t.diagnostic(`${kept} files were acknowledged by SFTP`)
  await arrived(() => readdirSync(box.files).every((name) => !name.startsWith('.wolke-put-')))
})

async function answering(port: number): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(20)) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    if (answer) return
  }
  assert.fail('nobody answers')
}
