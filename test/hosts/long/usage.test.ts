/** What a server on real hosts uses is measured: what it computes, sends and gets. Hosts of the lab do not count disks. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { counters, countsIn } from '../../../src/drivers/hosts/metrics/exposition.ts'
import { Measurements } from '../../../src/drivers/hosts/metrics/measurements.ts'
import { Incus } from '../../../src/protocols/incus/client.ts'
import { ipv4Of } from '../../conformance/stage.ts'
import { until } from '../../kit/database/bare-database.ts'
import { clusterOf } from '../kit/cluster.ts'
import { inGuest, output } from '../kit/guests.ts'
import { onLab } from '../kit/place.ts'

const minute = 60
const pings = 100

onLab('what a server uses is measured', async (stage, { lab }) => {
  const [server] = await stage.servers({ name: 'busy' })
  await stage.answers(ipv4Of(server), 'busy')
  const directory = mkdtempSync(join(tmpdir(), 'wolke-usage-'))
  const incus = new Incus(clusterOf(lab).incus)
  const failures: unknown[] = []
  const measurements = new Measurements({
    incus,
    directory,
    online: async () => lab.members.map(({ name }) => name),
    log: (message, error) => failures.push(message, error),
  })
  /** Samples as if it were another time, in seconds since the epoch. */
  const sampleAt = async (moment: number) => {
    mock.timers.enable({ apis: ['Date'], now: moment * 1_000 })
    await measurements.sample().finally(() => mock.timers.reset())
  }
  /** How many packets Incus says that the server got; it counts anew after some seconds only. */
  const received = async () => {
    const texts = await Promise.all(lab.members.map(({ name }) => incus.text(`/1.0/metrics?target=${name}`)))
    const counts = texts.flatMap((text) => countsIn(text).get(`srv-${server.id}`) ?? [])
    return counts[counters.indexOf('network.0.pps.in')]!
  }
  try {
    const start = (Math.floor(Date.now() / 1_000 / minute) + 60) * minute
    await sampleAt(start)
    const before = await received()
    const work = 'i=0; while [ $i -lt 1000000 ]; do i=$((i + 1)); done'
    await output(inGuest(lab, server.id, ['sh', '-c', work]))
    await output(['ping', '-q', '-i', '0.01', '-c', `${pings}`, ipv4Of(server)])
    await until(async () => (await received()) >= before + pings * 0.9, 'Incus has counted')
    await sampleAt(start + minute)
    const used = (series: string) => measurements.measure(server.id, series, [start + minute]).get(start + minute) ?? 0
    assert.ok(used('cpu') > 0.1 && used('cpu') <= 100 * server.server_type.cores, `${used('cpu')} % of a core`)
    for (const direction of ['in', 'out']) {
      const packets = used(`network.0.pps.${direction}`)
      assert.ok(packets >= (pings * 0.9) / minute, `${packets} packets per second ${direction}`)
      assert.ok(used(`network.0.bandwidth.${direction}`) > packets, `bytes per second ${direction}`)
    }
    assert.equal(
      measurements.measure(server.id, 'cpu', [start + 10 * minute]).size,
      0,
      'nothing is known of what comes',
    )
    assert.deepEqual(failures, [])
  } finally {
    await measurements.close()
    incus.close()
    rmSync(directory, { recursive: true })
  }
})
