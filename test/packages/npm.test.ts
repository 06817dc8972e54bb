/** The package for npm on a clean Debian 12 that has Node.js and npm, and no network. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { block } from '../operating/kit/pages.ts'
import { build } from '../run/built.ts'
import { cleanMachine, hcloudProgram, type Machine, serving } from './kit/machine.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'wolke-npm-'))
after(() => rmSync(folder, { recursive: true }))

let machine: Machine

before(async () => {
  await build()
  const env = { ...process.env, npm_config_pack_destination: folder }
  execFileSync(process.execPath, [join(root, 'scripts/packages/npm.ts')], { cwd: root, env, stdio: 'ignore' })
  machine = await cleanMachine(join(folder, 'machine'))
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  cpSync(dirname(dirname(realpathSync(npm))), join(machine.root, 'usr/local/lib/node_modules/npm'), { recursive: true })
  machine.give(process.execPath, 'usr/local/bin/node')
  machine.give(hcloudProgram, 'usr/local/bin/hcloud')
  await machine.must('ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm')
  machine.give(join(folder, 'wolke-0.1.0.tgz'), 'root/wolke-0.1.0.tgz')
})

test('The package for npm is installed without a network, and serves hcloud', async () => {
  const printed = await machine.must(
    `cd /root && export npm_config_offline=true\n${block('installation.md', 'npm install --global').text}`,
  )
  assert.match(printed, /^wolke \d/m)
  const script = serving(
    'exec wolke serve --database sqlite:/root/wolke.db >/root/log 2>&1',
    '/root/log',
    `export HCLOUD_ENDPOINT=http://127.0.0.1:8080/v1 HETZNER_ENDPOINT=http://127.0.0.1:8080/storage/v1
export HCLOUD_TOKEN=$(wolke token create --project default --database sqlite:/root/wolke.db)
hcloud firewall create --name web >/dev/null
hcloud firewall list -o noheader -o columns=name`,
  )
  assert.equal(await machine.must(script), 'web\n')
  await machine.must('npm uninstall --global wolke')
  assert.equal(await machine.must('find /usr/local -name "*wolke*"'), '')
})
