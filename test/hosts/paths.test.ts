/** An operator is told between which hosts the packets of servers do not pass. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Lab } from '../../lab/lab.ts'
import { until } from '../kit/database/bare-database.ts'
import { program } from '../program/kit/program.ts'
import { hostsOptionsOf, theLab } from './kit/cluster.ts'
import { cutWay } from './kit/daemons.ts'
import { incus } from './kit/guests.ts'
import { inLab } from './kit/place.ts'

/** The probes that checks have made, and those that were there before they began. */
const probesOn = async (lab: Lab) =>
  (await incus<string[]>(lab, '/1.0/instances')).filter((path) => path.includes('wolke-probe-'))

/** What is found of packets, and the exit code. */
async function checkIn(t: TestContext, lab: Lab) {
  const { command } = program(`paths-${t.name.length}`)
  const { code, stdout, stderr } = await command('infrastructure', 'check', ...hostsOptionsOf(lab))
  const found = stdout.split('\n').filter((line) => line.includes('packets'))
  assert.deepEqual(await probesOn(lab), [], 'nothing is left behind')
  return { code, stderr, found: found.map((line) => line.split('\t').slice(1)) }
}

test('a way between two hosts that is cut is named with its direction until it is healed', inLab, async (t) => {
  const lab = theLab()
  const [, second, third] = lab.members
  const heal = await cutWay(third!, second!)
  try {
    const { code, found } = await checkIn(t, lab)
    assert.deepEqual(found, [[`packets from ${third!.name} to ${second!.name}`, 'FAILS', 'none arrives']])
    assert.equal(code, 1)
  } finally {
    await heal()
  }
  const { code, found, stderr } = await checkIn(t, lab)
  const says = 'packets of 1500 bytes arrive on all ways of h1, h2, h3'
  assert.deepEqual(found, [['packets between hosts', 'ok', says]])
  assert.equal(code, 0, stderr)
})

test('a check that is interrupted leaves nothing behind', inLab, async () => {
  const lab = theLab()
  const { watch } = program('interrupted')
  const check = await watch('infrastructure', 'check', ...hostsOptionsOf(lab))
  await until(async () => (await probesOn(lab)).length > 0, 'it has made a probe')
  await check.stop()
  assert.deepEqual(await probesOn(lab), [])
  assert.deepEqual(check.lines(), [])
})
