/** Storage Boxes through Ansible's collection, unmodified: a playbook, which asserts what its tasks answer. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { installAnsible, run, serve, skipWithout } from '../kit/clients.ts'
import { drivesWhatIsSaid } from '../kit/driven.ts'

const playbook = join(import.meta.dirname, 'storage-boxes.yml')

// The collection waits a second for each action, so the databases do so together.
describe('Ansible does all it can with Storage Boxes', { concurrency: 2 }, () => {
  for (const database of ['memory', 'sqlite'] as const) {
    it(`on ${database}`, async (t) => {
      const ansible = await installAnsible()
      if (!ansible) return skipWithout(t, 'Ansible cannot be installed')
      const service = await serve(database)
      t.after(() => service.stop())
      const env = {
        ...service.env,
        ANSIBLE_COLLECTIONS_PATH: ansible.collections,
        ANSIBLE_HOME: service.folder,
        ANSIBLE_NOCOLOR: '1',
        ANSIBLE_PIPELINING: '1',
      }
      const here = ['-i', 'localhost,', '-c', 'local', '-e', `ansible_python_interpreter=${ansible.python}`]
      const { code, stdout, stderr } = await run(ansible.python, ['-m', 'ansible', 'playbook', ...here, playbook], {
        env,
      })
      assert.equal(code, 0, stdout + stderr)
      // Those are the tasks that must be refused, whose answers the playbook asserts.
      assert.match(stdout, /^localhost .*\bfailed=0 .*\bignored=3\b/m)
    })
  }
})

drivesWhatIsSaid(import.meta.filename)
