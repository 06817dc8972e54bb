/** Pages for operators about seeing what a cloud does, followed to the letter. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { installOtlp, run as runHere, skipWithout } from '../clients/kit/clients.ts'
import { as, configured, follow, prints } from './kit/follow.ts'
import { machine } from './kit/machine.ts'

const files = { 'root/monitoring': 'monitoring' }

/** Starts a Prometheus, and waits until it has read the cloud. */
const prometheus = `
cd monitoring
promtool check config prometheus.yml
prometheus --config.file=prometheus.yml --storage.tsdb.path=/tmp/prometheus --web.listen-address=127.0.0.1:9090 >/tmp/prometheus.log 2>&1 &
until curl --silent http://127.0.0.1:9090/api/v1/query?query=wolke_build_info | grep -q version; do kill -0 $!; sleep 0.2; done
curl --silent http://127.0.0.1:9090/api/v1/rules`

test('monitoring', async (t) => {
  await follow('monitoring.md', await machine(t, { files }), {
    'metrics-listen:': configured,
    'curl --silent': prints(/^wolke_build_info\{/m),
    'rule_files:': as('monitoring/prometheus.yml', prometheus, /"name":"WolkeDown"/),
    'promtool check rules': prints(/SUCCESS: \d+ rules found[\s\S]*SUCCESS/),
    'wolke health': prints(/"status":"ok"/),
  })
})

/** A collector that keeps what it is sent. */
const collector = `
cat >/tmp/collector.js <<'END'
require('node:http').createServer((request, response) => {
  require('node:stream/consumers').buffer(request).then((body) => {
    require('node:fs').appendFileSync('/tmp/spans', request.url + ' ' + body.toString('base64') + '\\n')
    response.setHeader('content-type', 'application/x-protobuf').end()
  })
}).listen(4318)
END
/usr/lib/wolke/node /tmp/collector.js &`

test('traces', async (t) => {
  const python = await installOtlp()
  if (!python) return skipWithout(t, 'no Python with the library of OTLP')
  const cloud = await machine(t)
  await cloud.run(`echo OTEL_BSP_SCHEDULE_DELAY=50 >>/etc/default/wolke\n${collector}`)
  await follow('tracing.md', cloud)
  const sent = await cloud.run(`
curl --silent --fail -H "authorization: Bearer $(wolke token create --project default)" http://127.0.0.1:8080/v1/locations >/dev/null
systemctl stop wolke
cat /tmp/spans`)
  const bodies = [...sent.matchAll(/^\/v1\/traces (\S+)$/gm)].map(([, body]) => `protobuf ${body}\n`)
  const decode = join(import.meta.dirname, '../clients/kit/otlp/decode.py')
  const { stdout } = await runHere(python, [decode], { input: bodies.join('') })
  const spans = stdout
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line) as { readonly name: string }[])
  assert.ok(
    spans.some(({ name }) => name === 'GET /v1/locations'),
    stdout,
  )
})

test('warnings', async (t) => {
  const cloud = await machine(t)
  await cloud.run('echo WOLKE_LAB=true >>/etc/default/wolke && systemctl restart wolke')
  await cloud.run("until journalctl --unit wolke --output cat | grep -q 'has a lab'; do sleep 0.1; done")
  await follow('warnings.md', cloud, {
    journalctl: async (run) => {
      const printed = await run()
      assert.match(printed, /"msg": "this server has a lab: /)
      assert.doesNotMatch(printed, /"level": [123]0/)
    },
  })
})

/** A line of the doctor's that counts, whatever it counts. */
const uncounted = (text: string) => text.replace(/^\d+ ok, /m, 'N ok, ').replace(/ \d+ unknown$/m, ' N unknown')

test('the doctor', async (t) => {
  const cloud = await machine(t)
  await cloud.run(`ip address add 192.0.2.25/32 dev lo
echo 192.0.2.25 mail.example.com >>/etc/hosts
printf 'WOLKE_SMTP=smtp://mail.example.com\\nWOLKE_MAIL_FROM=cloud@example.com\\n' >>/etc/default/wolke
systemctl restart wolke`)
  let said = ''
  await follow('doctor.md', cloud, {
    'wolke doctor': async (run, { text }) => {
      said = await run(`code=0\n${text.trimEnd()} || code=$?\necho exit code $code`)
      assert.match(said, /^exit code 1$/m)
    },
    'FAILS ': (_, { text }) => {
      const lines = uncounted(said).split('\n')
      for (const line of uncounted(text).trimEnd().split('\n')) assert.ok(lines.includes(line), `${line}\n${said}`)
    },
  })
})

test('status', async (t) => {
  const cloud = await machine(t)
  await cloud.run('wolke project create staging')
  await follow('status.md', cloud, { 'wolke status': prints(/^Process \S+: since /m) })
})

test('limits and fairness', async (t) => {
  const cloud = await machine(t)
  await cloud.run('wolke project create staging')
  await follow('fairness.md', cloud, { 'wolke project limits': prints(/\bservers\b.*\b20\b/, /\bnetworks\b.*\boff\b/) })
})
