/** The Python library, unmodified and in two generations, does the main job; what it sees is asserted in Python. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { chain } from '../../kit/samples/certificates.ts'
import { installPython, publicKey, run, serve, skipWithout } from '../kit/clients.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'

const scripts = {
  'hcloud_client.py': {
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
  },
  'hcloud_attachments.py': {
    steps: [
      'catalogue',
      'network',
      'placement group',
      'volume',
      'primary ip',
      'server with everything',
      'servers in networks',
      'type',
      'access',
      'iso',
      'reverse names and measurements',
      'actions',
      'deletion',
    ],
    left: { servers: 0, volumes: 0, networks: 0, placement_groups: 0, primary_ips: 0, ssh_keys: 0 },
  },
  'hcloud_load_balancers.py': {
    steps: [
      'types',
      'creation',
      'services',
      'targets',
      'networks',
      'changes',
      'measurements and actions',
      'primary ips',
      'deletion',
    ],
    left: { load_balancers: 0, servers: 0, networks: 0, certificates: 0, primary_ips: 0 },
  },
}

for (const [generation, database] of [
  ['old', 'memory'],
  ['new', 'sqlite'],
] as const) {
  it(`the ${generation} Python library does its work on ${database}`, async (t) => {
    const python = await installPython(generation)
    if (!python) return skipWithout(t, 'the Python library cannot be installed')
    const service = await serve(database)
    t.after(() => service.stop())
    const { certificate, private_key } = chain(2)
    const input = JSON.stringify({ certificate, private_key })
    for (const [script, report] of Object.entries(scripts)) {
      const path = join(import.meta.dirname, script)
      const { code, stdout, stderr } = await run(python, ['-B', path, publicKey()], { env: service.env, input })
      assert.equal(code, 0, stderr)
      assert.deepEqual(JSON.parse(stdout), report)
    }
  })
}

drivesWhatIsSaid(import.meta.filename)
