/** The Python library, unmodified, does the main job; what it sees is asserted in Python. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { chain } from '../certificates.ts'
import { installPython, publicKey, run, serve, skipWithout } from './clients.ts'
import { drivesWhatIsSaid } from './driven.ts'

const script = join(import.meta.dirname, 'hcloud_client.py')

for (const database of ['memory', 'sqlite'] as const) {
  it(`the Python library does its work on ${database}`, async (t) => {
    const python = await installPython()
    if (!python) return skipWithout(t, 'python3 is not installed')
    const service = await serve(database)
    t.after(() => service.stop())
    const { certificate, private_key } = chain(2)
    const input = JSON.stringify({ certificate, private_key })
    const { code, stdout, stderr } = await run(python, [script, publicKey()], { env: service.env, input })
    assert.equal(code, 0, stderr)
    assert.deepEqual(JSON.parse(stdout), {
      steps: [
        'ssh key',
        'certificate',
        'managed certificate',
        'firewall',
        'server',
        'changes',
        'power',
        'floating ip',
        'image',
        'actions',
        'deletion',
      ],
      left: { servers: 0, firewalls: 0, ssh_keys: 0, floating_ips: 0, images: 0 },
    })
  })
}

drivesWhatIsSaid(import.meta.filename)
