/** What is kept of the counters of a server, and what is measured from them. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { Incus } from '../../../protocols/incus/client.ts'
import { counters, countsIn } from './exposition.ts'
import { Measurements } from './measurements.ts'
import { Samples } from './samples.ts'

const dayS = 86_400
const start = 1_790_000_040

function samplesOf(t: TestContext): Samples {
  const directory = mkdtempSync(join(tmpdir(), 'samples-'))
  t.after(() => rmSync(directory, { recursive: true }))
  return new Samples(directory, 7)
}

/** Counters that all have one value. */
const all = (value: number) => counters.map(() => value)

describe('samples of a server', () => {
  test('are rates between them', (t) => {
    const samples = samplesOf(t)
    for (let minute = 0; minute <= 5; minute++) samples.record(start + 60 * minute, all(minute * 120))
    const rates = samples.rates(0, [start + 120, start + 180, start + 300], 60)
    assert.deepEqual([...rates.values()], [2, 2, 2])
  })

  test('are missing before the first, long after the last, and for a server that was never sampled', (t) => {
    const samples = samplesOf(t)
    assert.equal(samples.rates(0, [start], 60).size, 0)
    samples.record(start, all(1))
    samples.record(start + 60, all(61))
    assert.deepEqual([...samples.rates(0, [start - 60, start, start + 60, start + dayS / 2], 60)], [[start + 60, 1]])
  })

  test('count from zero after a restart', (t) => {
    const samples = samplesOf(t)
    samples.record(start, all(5_000))
    samples.record(start + 60, all(30))
    assert.equal(samples.rates(3, [start + 60], 60).get(start + 60), 0.5)
  })

  test('of 30 days ago are still there, in steps of ten minutes', (t) => {
    const samples = samplesOf(t)
    for (let at = start; at < start + 30 * dayS; at += 300) samples.record(at, all(at - start))
    const moments = [start + dayS, start + 15 * dayS, start + 29 * dayS]
    assert.deepEqual([...samples.rates(0, moments, dayS).values()].map(Math.round), [1, 1, 1])
  })
})

test('counters are read from the text of Incus, summed over processors and disks, of the public interface alone', () => {
  const counts = countsIn(`
# TYPE incus_cpu_seconds_total counter
incus_cpu_seconds_total{cpu="0",mode="system",name="srv-7",project="default",type="container"} 1.5
incus_cpu_seconds_total{cpu="0",mode="user",name="srv-7",project="default",type="container"} 2.5
incus_cpu_seconds_total{cpu="0",mode="idle",name="srv-7",project="default",type="container"} 900
incus_disk_reads_completed_total{device="sda",name="srv-7",project="default",type="container"} 10
incus_disk_reads_completed_total{device="sdb",name="srv-7",project="default",type="container"} 5
incus_network_receive_bytes_total{device="eth0",name="srv-7",project="default",type="container"} 1000
incus_network_receive_bytes_total{device="eth1",name="srv-7",project="default",type="container"} 77
incus_network_receive_bytes_total{device="lo",name="srv-7",project="default",type="container"} 88
incus_go_goroutines 300
`)
  const server = counts.get('srv-7')!
  const of = (counter: (typeof counters)[number]) => server[counters.indexOf(counter)]
  assert.deepEqual([...counts.keys()], ['srv-7'])
  assert.equal(of('cpu'), 4)
  assert.equal(of('disk.0.iops.read'), 15)
  assert.equal(of('network.0.bandwidth.in'), 1_000)
  assert.equal(of('network.0.bandwidth.out'), 0)
})

test('servers are measured while another host does not answer, of which the log tells', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'samples-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const told = Promise.withResolvers<readonly unknown[]>()
  const text = async (path: string) => {
    if (path.endsWith('h1')) throw new Error('away')
    return 'incus_cpu_seconds_total{cpu="0",mode="user",name="srv-7",project="default"} 5'
  }
  const measurements = new Measurements({
    incus: { text } as Incus,
    directory,
    online: async () => ['h1', 'h2'],
    log: (_, error) => told.resolve((error as AggregateError).errors),
  })
  assert.deepEqual(await told.promise, [new Error('away')])
  await measurements.close()
  assert.deepEqual(readdirSync(directory), ['7.samples'])
})
