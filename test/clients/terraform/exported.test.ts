/** What a Project says to Terraform when it is exported or imported: the provider takes it over, and plans no change. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { findProgram, installProvider, run } from '../kit/clients.ts'
import { describeTerraform, openCloud } from './terraform.ts'

const root = join(import.meta.dirname, '../../..')
const everything = join(root, 'test/lab/seed/everything.yaml')
const token = 'shop'.repeat(16)

describeTerraform(
  'A Project that is imported',
  (cloud) => {
    it('is taken over by Terraform with no change', async () => {
      const { env, folder } = cloud().service
      const own = { ...env, HCLOUD_TOKEN: token }
      const args = [join(root, 'dist/main.js'), 'import', '--format', 'terraform']
      const { code, stdout, stderr } = await run(process.execPath, args, { env: own, cwd: folder })
      assert.equal(code, 0, stderr)
      const leftOut = stderr
        .trim()
        .split('\n')
        .map((line) => line.replace('wolke: left out: ', ''))
      assert.deepEqual(
        leftOut.filter((line) => !line.endsWith('which the provider does not take over')),
        [
          'load_balancers: second: not in the configuration: public_net',
          'servers: copy: not in the configuration: there is no resource for attachIso',
          'servers: copy: not in the configuration: start_after_create',
          'servers: web-1: not in the configuration: rescue',
        ],
      )
      assert.equal(leftOut.filter((line) => /public_net, |format, |protection, /.test(line)).length, 5)
      assert.doesNotMatch(stdout + stderr, new RegExp(token))
      const workspace = openCloud(findProgram('terraform')!, (await installProvider())!, { folder, env: own }).open(
        'imported',
      )
      workspace.write('main.tf', stdout)
      const { imported, added, changed, destroyed } = await workspace.apply()
      assert.deepEqual({ added, changed, destroyed }, { added: 0, changed: 0, destroyed: 0 })
      assert.equal(imported, stdout.match(/^resource /gm)!.length)
      await workspace.planIsEmpty()
    })
  },
  ['--lab', '--seed', everything],
)
