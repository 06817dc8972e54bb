/** Pages for operators about the data, followed to the letter: backups, keys, upgrades. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configured, elsewhere, follow, prints } from './kit/follow.ts'
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

/** Lets a tenant have a secret: the private key of a certificate. */
const upload = `
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj /CN=shop.example.com \\
  -addext subjectAltName=DNS:shop.example.com -keyout key.pem -out cert.pem
jq -n --rawfile certificate cert.pem --rawfile private_key key.pem '{name: "shop", $certificate, $private_key}' |
  curl --silent --fail --show-error -H "authorization: Bearer $(wolke token create --project default)" \\
    -H 'content-type: application/json' --data-binary @- http://127.0.0.1:8080/v1/certificates`

test('keys', async (t) => {
  const cloud = await machine(t)
  await cloud.run(upload)
  const refused = await cloud.run('code=0\nwolke secrets rotate || code=$?\necho $code')
  assert.equal(refused, "wolke: required option '--previous-key-file <file>' not specified\n2\n")
  await follow('keys.md', cloud, {
    'runuser -u wolke -- wolke secrets rotate': prints(/^Projects whose key was encrypted again: 1$/m),
    'wolke secrets renew': prints(/./),
  })
  assert.match(await cloud.run('rm /var/lib/wolke/old.key && systemctl restart wolke && wolke doctor'), /^ok +keys /m)
})

/** A PostgreSQL, and a replica of it that is not there. */
const postgres = `
printf '127.0.0.1 db1.example\\n127.0.0.2 db2.example\\n' >>/etc/hosts
programs=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
install -d -o postgres /tmp/postgres
runuser -u postgres -- $programs/initdb --auth=trust --no-sync -D /tmp/postgres/data
runuser -u postgres -- $programs/pg_ctl -w -D /tmp/postgres/data -o '-F -k /tmp/postgres -h db1.example' start >/dev/null
psql -h db1.example -U postgres -c 'create role wolke login' -c 'create database wolke owner wolke'`

test('several processes', async (t) => {
  const cloud = await machine(t)
  await cloud.run(postgres)
  await follow('processes.md', cloud, {
    'database: postgres:': configured,
    defaults: elsewhere('test/program/processes/kit/haproxy.ts'),
  })
  assert.match(await cloud.run('wolke project create shared && wolke doctor'), /^ok +database .*PostgreSQL/m)
})

test('upgrading', async (t) => {
  const cloud = await machine(t, { newer: '0.1.1-1' })
  await follow('upgrades.md', cloud, {
    'systemctl start wolke-backup': prints(/^wolke \d\S+ .*schema/m, /"version":/),
  })
  assert.match(await cloud.run('dpkg-query -W wolke'), /\t0\.1\.1-1$/m)
})
