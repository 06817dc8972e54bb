/** Pages for operators about the name server, followed to the letter. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, configured, follow, prints } from './kit/follow.ts'
import { type Machine, machine } from './kit/machine.ts'
import { block } from './kit/pages.ts'

/** Makes a zone, as a tenant does. */
async function makeZone({ run }: Machine): Promise<void> {
  await run(`curl --silent --fail --show-error -H "authorization: Bearer $(wolke token create --project default)" \\
  -H 'content-type: application/json' -d '{"name":"example.com","mode":"primary"}' http://127.0.0.1:8080/v1/zones`)
}

/** A resolver that asks nobody but whom the page says. */
const unbound = `
cat >resolver.conf <<'END'
server:
  interface: 127.0.0.1@5300
  do-ip6: no
  username: ""
  chroot: ""
  directory: "/tmp"
  pidfile: ""
  use-syslog: no
  module-config: "iterator"
include: "/root/stub.conf"
END
unbound -d -c resolver.conf >/tmp/unbound.log 2>&1 &
until dig @127.0.0.1 -p 5300 +tries=1 +time=1 example.com SOA | grep -w NOERROR; do kill -0 $!; sleep 0.1; done
dig @127.0.0.1 -p 5300 +short example.com SOA`

test('the name server', async (t) => {
  const cloud = await machine(t)
  await cloud.run('ip address add 203.0.113.53/32 dev lo')
  await cloud.run(block('tls.md', 'AmbientCapabilities=').text)
  await follow('name-server.md', cloud, {
    'dns-listen: 203.0.113.53:53': async (...given) => {
      await configured(...given)
      await makeZone(cloud)
    },
    'dig @203.0.113.53': prints(/flags: qr aa;[\s\S]*\tSOA\tns1\.example\.net\. hostmaster\.example\.net\. /),
    'stub-zone:': as('stub.conf', unbound, /^ns1\.example\.net\. /m),
  })
})

test('DNSSEC', async (t) => {
  const cloud = await machine(t)
  await cloud.run(`echo WOLKE_LAB=true >>/etc/default/wolke
systemctl restart wolke
token=$(wolke token create --management --name clock)`)
  await makeZone(cloud)
  /** Lets time pass in the cloud, until the zone is at a step. */
  const pass = (by: string, step: string) =>
    cloud.run(`curl --silent --fail --show-error -H "authorization: Bearer $token" -H 'content-type: application/json' \\
  -d '{"by":"${by}"}' http://127.0.0.1:8080/wolke/v1/clock/advance
until wolke dnssec list | grep -w ${step}; do sleep 0.2; done`)
  await follow('dnssec.md', cloud, {
    'wolke dnssec enable': async (run) => {
      assert.match(await run(), /^example\.com\s+wanted\b/m)
      await pass('8d', 'signed')
    },
    'wolke dnssec show': prints(/\b13 2 [0-9A-F]{64}\b/i),
    'wolke dnssec roll': async (run) => {
      await run()
      await pass('26h', 'submitting')
    },
    'wolke dnssec submitted': async (run) => {
      await run()
      await pass('30d', 'signed')
    },
    'wolke dnssec disable': async (run) => {
      await run()
      await pass('1m', 'leaving')
    },
  })
})

/** A network beside that of the machine in which another name server is. */
const beside = `
unshare --net sleep infinity &
far=$!
until [ "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
ip link add near type veth peer name far netns $far
ip address add 192.0.2.5/32 dev near
ip link set near up
nsenter --target $far --net sh -eu <<'END'
ip link set lo up
ip address add 203.0.113.10/32 dev far
ip link set far up
ip route add 192.0.2.5 dev far
END
ip route add 203.0.113.0/24 dev near
`

const knot = `
mkdir -p /run/knot /var/lib/knot
nsenter --target $far --net knotd -c knot.conf >/tmp/knot.log 2>&1 &
until dig @203.0.113.10 +tries=1 +time=1 example.com SOA | grep -q 'flags: qr aa '; do kill -0 $!; sleep 0.2; done
dig @203.0.113.10 example.com SOA`

test('transfers', async (t) => {
  const cloud = await machine(t)
  await makeZone(cloud)
  await cloud.run(beside)
  await follow('transfers.md', cloud, {
    'dns-transfer-to: [203.0.113.10, ': configured,
    'remote:': as('knot.conf', knot, /flags: qr aa /),
    'dns-transfer-to: [203.0.113.10=': configured,
    'dig @192.0.2.5': async (run, { text }) => {
      const within = (script: string) => run(`nsenter --target $far --net sh -eu <<'END'\n${script}END`)
      assert.match(await within(text), /;; XFR size: /)
      assert.match(await within(text.replace(/-k \S+ /, '')), /Transfer failed/)
    },
  })
})
