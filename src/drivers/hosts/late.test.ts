import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriverError } from '../../kernel/actions/define.ts'
import { runningClock } from '../../kernel/process/clock.ts'
import { openLate } from './late.ts'
import type { Hosts } from './open.ts'
import type { ClusterOptions, ClusterParts } from './options.ts'

const options = { name: 'rack1', instanceType: 'container' } as ClusterOptions
const absence = new DriverError('nobody answers', { transient: true })

/** Hosts that answer after some attempts, and what is logged meanwhile. */
function hostsAfter(failures: readonly Error[]) {
  const logged: string[] = []
  const log = (_: object, message: string) => void logged.push(message)
  const parts: ClusterParts = {
    clock: runningClock(),
    log: { info: log, warn: log, error: log },
    directory: undefined,
  }
  const left = [...failures]
  let closed = 0
  const there = {
    machines: { servers: { remembers: async () => false } },
    capabilities: () => ({ console: false }),
    owner: async () => 'me',
    close: async () => {
      closed++
    },
  } as unknown as Hosts
  const open = async () => {
    const failure = left.shift()
    if (failure) throw failure
    return there
  }
  return { parts, open, logged, attemptsLeft: () => left.length, timesClosed: () => closed }
}

test('hosts that answer late are away until they do', async () => {
  const { parts, open, logged, timesClosed } = hostsAfter([absence, absence])
  const hosts = await openLate(options, parts, { open, pauseMs: 1 })
  await assert.rejects(hosts.owner(), { message: 'the hosts rack1 do not answer', transient: true })
  assert.equal(hosts.capabilities().console, true)
  while (!logged.includes('the hosts answer')) await new Promise(setImmediate)
  assert.equal(await hosts.owner(), 'me')
  assert.equal(hosts.capabilities().console, false)
  assert.equal(await hosts.machines.servers.remembers(1), false)
  await hosts.close()
  assert.equal(timesClosed(), 1)
})

test('hosts that answer and lack something are refused, and what fails later is told', async () => {
  const lacking = new Error('no pool')
  const first = hostsAfter([lacking])
  await assert.rejects(openLate(options, first.parts, { open: first.open }), lacking)
  const wrapped = new Error('they do not answer', { cause: absence })
  const later = hostsAfter([wrapped, lacking])
  const hosts = await openLate(options, later.parts, { open: later.open, pauseMs: 1 })
  while (!later.logged.includes('the hosts answer')) await new Promise(setImmediate)
  assert.deepEqual(later.logged, [
    'the hosts are looked for until they answer',
    'the hosts lack what is needed',
    'the hosts answer',
  ])
  await hosts.close()
})

test('nobody looks for hosts any more once they are closed', async () => {
  const { parts, open, attemptsLeft } = hostsAfter([absence, absence])
  const hosts = await openLate(options, parts, { open, pauseMs: 1_000_000 })
  await hosts.close()
  assert.equal(attemptsLeft(), 1)
})
