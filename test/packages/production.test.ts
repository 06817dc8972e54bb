/** docs/operating/production.md, followed to the letter on a clean Debian 12. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { follow } from '../operating/kit/follow.ts'
import { build } from '../run/built.ts'
import { cleanMachine, hcloudProgram, makePackage } from './kit/machine.ts'

const folder = mkdtempSync(join(tmpdir(), 'wolke-production-'))
after(() => rmSync(folder, { recursive: true }))

/** The names of the page, which nobody else resolves. */
const begin = `
echo 127.0.0.1 cloud.example.com >>/etc/hosts
cd /root`

/** What has come of it all in the end. */
const end = `
systemctl restart wolke
hcloud server-type list -o noheader -o columns=name | head -n 1
wolke project list
ls /var/lib/wolke
stat -c '%U %a' /var/lib/wolke/backups/*
systemctl stop wolke`

test('the commands of the page make a cloud that clients use, with a backup that comes back', async () => {
  await build()
  const machine = await cleanMachine(join(folder, 'machine'))
  for (const version of ['0.1.0-1', '0.1.1-1']) {
    const file = makePackage(folder, version)
    machine.give(file, `root/${file.slice(folder.length + 1)}`)
  }
  machine.give(hcloudProgram, 'usr/local/bin/hcloud')
  machine.give(join(import.meta.dirname, 'kit/systemctl.sh'), 'usr/local/bin/systemctl')
  const blocks: string[] = []
  await follow('production.md', { run: async (text) => `${blocks.push(text)}` })
  const printed = await machine.must(`${begin}\n${blocks.join('')}${end}`)
  assert.match(printed, /wolke\.yaml: no mistakes\n/)
  assert.match(printed, /^https:\/\/cloud\.example\.com\/console\S+$/m, 'the link of the administrator')
  assert.match(printed, /^Process \S+: since /m, 'root asks the service')
  assert.match(printed, /^Job certificates: renewCertificates: ran at /m)
  assert.match(printed, /^ok +ports +API \(0\.0\.0\.0:443\): answers over HTTPS$/m)
  assert.match(printed, /^\d+ ok, 0 WARNING, 0 FAILS, \d+ unknown$/m, 'nothing fails')
  assert.match(printed, /backup of the database: none was made/)
  assert.match(printed, /^wolke_build_info\{.*version="/m)
  assert.match(printed, /"status":"ok"/)
  assert.match(printed, /\bproduction\b[\s\S]*\bwolke\.db\.before-/)
  const owners = printed.match(/^wolke 600$/gm)
  assert.equal(owners?.length, 2)
})
