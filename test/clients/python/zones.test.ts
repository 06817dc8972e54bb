/** Zones through the Python library, unmodified. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { installPython, run, serve, skipWithout } from '../kit/clients.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'

it('the Python library works with zones', async (t) => {
  const python = await installPython()
  if (!python) return skipWithout(t, 'the Python library cannot be installed')
  const service = await serve('sqlite')
  t.after(() => service.stop())
  const { code, stdout, stderr } = await run(python, ['-B', join(import.meta.dirname, 'hcloud_zones.py')], {
    env: service.env,
  })
  assert.equal(code, 0, stderr)
  const steps = ['zones', 'rrsets', 'zonefile', 'secondary', 'deletion']
  assert.deepEqual(JSON.parse(stdout), { steps, left: { zones: 0 } })
})

drivesWhatIsSaid(import.meta.filename)
