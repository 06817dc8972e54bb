/** Pages for operators about setting it up, followed to the letter. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, configured, elsewhere, follow, prints } from './kit/follow.ts'
import { bareMachine, machine } from './kit/machine.ts'

test('installing', async (t) => {
  const cloud = await bareMachine(t)
  await follow('installation.md', cloud, {
    'apt install': async (run) => {
      await run()
      await cloud.run('systemctl start wolke')
    },
    'wolke token create': prints(/^wlk_\w{60}$/m, /\/console\S+$/m),
    '(set -a;': prints(/\bdefault\b/),
    'WOLKE_CONFIG= wolke exec': prints(/\bhel1\b/),
    'apt purge': prints(/the data is left in \/var\/lib\/wolke/),
    'npm install': elsewhere('test/packages/npm.test.ts'),
  })
})

test('configuring', async (t) => {
  const cloud = await machine(t)
  await cloud.run(
    'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=a -keyout /etc/wolke/key.pem -out /etc/wolke/cert.pem',
  )
  const mistaken =
    'database: sqlite:/var/lib/wolke/wolke.db\nlisten: nowhere\nvendor: acme\nlab: false\nrate_limit: off\n'
  await follow('configuration.md', cloud, {
    'listen: 10.0.0.2:443': as('wolke.yaml'),
    'wolke config check wolke.yaml': prints(/^wolke\.yaml: no mistakes$/m, /^database: sqlite:\S+ +# file$/m),
    'wolke: the configuration has mistakes:': async (run, { text }) => {
      await cloud.run(`cat >wolke.yaml <<'END'\n${mistaken}END`)
      assert.equal(await run('code=0\nwolke serve --config wolke.yaml || code=$?\necho $code'), `${text}2\n`)
      assert.match(await run('code=0\nwolke config check wolke.yaml || code=$?\necho $code'), /^1\n$/m)
    },
  })
})

test('containers', async (t) => {
  const cloud = await machine(t, { files: { 'root/deploy': 'deploy' } })
  await follow('containers.md', cloud, { 'sh secrets.sh': prints(/^[\x21-\x7e]{64}$/) })
})

/** What clients get who trust a certificate alone. */
const trusting = 'curl --silent --fail --show-error --cacert /etc/wolke/cert.pem https://cloud.example.com/health\n'

test('TLS', async (t) => {
  const cloud = await machine(t)
  await cloud.run('echo 127.0.0.1 cloud.example.com >>/etc/hosts')
  await follow('tls.md', cloud, {
    'cat >/etc/letsencrypt': async (run) => {
      await run()
      await cloud.run(`mkdir /tmp/new && cd /tmp/new
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -subj /CN=cloud.example.com \\
  -addext subjectAltName=DNS:cloud.example.com -keyout privkey.pem -out fullchain.pem`)
    },
    'AmbientCapabilities=': async (run) => {
      await run()
      await run(trusting)
      await run(`RENEWED_LINEAGE=/tmp/new /etc/letsencrypt/renewal-hooks/deploy/wolke
cmp /tmp/new/fullchain.pem /etc/wolke/cert.pem\n${trusting}`)
      const judged =
        await run(`cd /tmp && cat /usr/lib/systemd/system/wolke.service /etc/systemd/system/wolke.service.d/*.conf >wolke.service
SYSTEMD_COLORS=0 systemd-analyze security --offline=true /tmp/wolke.service`)
      assert.match(judged, /Overall exposure level for wolke\.service: 1\.6 /)
    },
    'acme-directory:': configured,
  })
})

test('restarts', async (t) => {
  const cloud = await machine(t)
  await cloud.run('ip address add 192.0.2.1/32 dev lo')
  await follow('restarts.md', cloud, {
    'ListenStream=127.0.0.1:443': async (run) => {
      await run()
      const asked = await run(`systemctl restart wolke.service &
for one in 1 2 3 4 5 6 7 8 9; do curl --silent --show-error --output /dev/null --write-out '%{http_code}\\n' http://127.0.0.1:443/health; done
wait`)
      assert.match(asked, /^(200\n){9}$/)
    },
    'ListenStream=192.0.2.1:53': as('/etc/systemd/system/wolke-dns.socket'),
    'systemctl enable --now wolke-dns.socket': async (run) => {
      await run()
      const version = 'dig @192.0.2.1 +short 2.0.192.in-addr.arpa SOA'
      assert.match(await run(`${version}\n${version} +tcp`), /^(ns1\..*\n){2}$/)
    },
  })
})

test('administration', async (t) => {
  await follow('administration.md', await machine(t), {
    'wolke project create': prints(
      /^wlk_\w{60}$/m,
      /\/console\S+$/m,
      /wolke project create/,
      /, 0 FAILS, /,
      /^Process /m,
    ),
  })
})
