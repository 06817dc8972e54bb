/** Storage Boxes through the Python library, unmodified, by either of the roots that they have. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { installPython, run, serve, skipWithout } from '../kit/clients.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'

const steps = [
  ...['types', 'creation', 'lists', 'changes', 'plans', 'snapshots', 'subaccounts'],
  ...['actions', 'deletion'],
]

for (const database of ['memory', 'sqlite'] as const) {
  it(`the Python library does all it can with Storage Boxes on ${database}`, async (t) => {
    const python = await installPython()
    if (!python) return skipWithout(t, 'the Python library cannot be installed')
    const service = await serve(database)
    t.after(() => service.stop())
    const script = join(import.meta.dirname, 'hcloud_storage_boxes.py')
    const { code, stdout, stderr } = await run(python, ['-B', script], { env: service.env })
    assert.equal(code, 0, stderr)
    assert.deepEqual(JSON.parse(stdout), { steps, left: { storage_boxes: 0 } })
  })
}

drivesWhatIsSaid(import.meta.filename)
