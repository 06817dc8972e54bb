/** Pages for operators about the data, followed to the letter: backups, keys, upgrades. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { elsewhere, follow, prints } from './kit/follow.ts'
import { machine } from './kit/machine.ts'

test('backups', async (t) => {
  const cloud = await machine(t)
  await cloud.run('wolke project create kept')
  await follow('backups.md', cloud, {
    'systemctl enable --now wolke-backup.timer': async (run) => {
      assert.match(await run(), / wolke-\S+Z\.db\n$/)
      await run('wolke project create lost')
    },
    'systemctl stop wolke': prints(),
    pg_dump: elsewhere('test/program/backup.test.ts'),
  })
  const projects = await cloud.run('wolke project list; ls /var/lib/wolke')
  assert.match(projects, /\bkept\b/)
  assert.doesNotMatch(projects, /\blost\b/)
  assert.match(projects, /^wolke\.db\.before-/m)
})

test('keys', async (t) => {
  const cloud = await machine(t)
  await follow('keys.md', cloud, {
    'runuser -u wolke -- wolke secrets rotate': prints(/./),
    'wolke secrets renew': prints(/./),
  })
})

test('upgrading', async (t) => {
  const cloud = await machine(t, { newer: '0.1.1-1' })
  await follow('upgrades.md', cloud, {
    'systemctl start wolke-backup': prints(/^wolke \d\S+ .*schema/m, /"version":/),
  })
  assert.match(await cloud.run('dpkg-query -W wolke'), /\t0\.1\.1-1$/m)
})
