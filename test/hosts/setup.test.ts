/** `wolke host setup` on bare machines: a cloud from nothing, which comes back after a loss of power, grows by a host, and goes. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { type BareHost, gateway } from '../../lab/bare/hosts.ts'
import { findProgram } from '../clients/kit/clients.ts'
import { until } from '../kit/database/bare-database.ts'
import { bareHosts, giveWolke } from './kit/bare/machines.ts'
import { output } from './kit/guests.ts'
import { inLab } from './kit/place.ts'

/** An image of servers that the lab has; building one is proved elsewhere. */
const images = '--image-metadata /srv/image/metadata.tar.xz --image-root /srv/image/root.squashfs'
/** What a machine has, but for what any installation of packages leaves behind. */
const state = `dpkg-query -W; ip -brief address | awk '{ print $1, $3 }'; ip route | sort; nft list ruleset 2>/dev/null
find /etc -newer /root/begun ! -path '/etc/apt/*' -type f | sort; systemctl list-unit-files --state=enabled --no-legend | sort`

test('two bare machines become a cloud, which a loss of power does not end, and bare ones again', inLab, async (t) => {
  const [first, second] = await bareHosts(t, 2)
  await giveWolke([first!, second!])
  await Promise.all(
    [first!, second!].map((host) => host.exec('apt-get update -q && apt-get install -q -y /root/wolke.deb')),
  )
  await first!.exec('touch /root/begun')

  await t.test('a dry run says what would be done, and changes nothing', async () => {
    const before = await first!.exec(state)
    assert.match(await first!.exec('wolke host setup --dry-run'), /^Packages: to do$/m)
    assert.equal(await first!.exec(state), before)
  })

  let cloud: Cloud
  await t.test('a setup makes a cloud, and a second one finds that all is so', async () => {
    const said = await first!.exec(`wolke host setup ${images}`)
    assert.match(said, /^Disks of servers: \/dev\/sdb /m)
    assert.match(said, /^All is done\.$/m)
    const [, link = ''] = /^The first administrator begins here: (https:\S+)$/m.exec(said)!
    assert.equal((await ask(link)).status, 200)
    assert.match(await first!.exec(`wolke host setup ${images}`), /^All is so already\.$/m)
    const token = await first!.exec('wolke token create --project default --name test')
    cloud = cloudOf(first!, token.trim())
  })

  let server: Server
  await t.test('it has servers that are reached from outside', async () => {
    server = await cloud.make('one')
    // Whoever is on the network of the hosts reaches servers by the host that routes them.
    await output(['ip', 'route', 'replace', `${server.address}/32`, 'via', first!.address])
    await reached(server)
  })

  await t.test('a loss of power ends neither the cloud nor its servers', async () => {
    await first!.reboot()
    assert.equal(await first!.exec('systemctl is-system-running'), 'running\n')
    await reached(server)
    assert.equal((await cloud.get('/servers')).servers[0].status, 'running')
  })

  await t.test('a further machine joins by a token, which is good once', async () => {
    const token = await tokenOf(first!)
    const planned = await second!.exec(`wolke host setup --dry-run --join ${token}`)
    assert.match(planned, /^Incus as a further member, with its pool: to do$/m)
    await second!.exec(`wolke host setup --join ${token}`)
    await first!.exec('until grep "is a host" /run/token; do systemctl is-active --quiet wolke-token; sleep 0.1; done')
    await until(
      async () => (await first!.exec('incus cluster list --format csv')).match(/ONLINE/g)?.length === 2,
      'both',
    )
    assert.match(await second!.exec(`wolke host setup --join ${token}`), /^All is so already\.$/m)
    assert.match(await first!.exec('cat /etc/wolke/wolke.yaml'), /- https:\/\/10\.98\.0\.2:8443/)
    const made = await cloud.make('two')
    await output(['ip', 'route', 'replace', `${made.address}/32`, 'via', first!.address])
    await reached(made)
  })

  await t.test('undone, the machines are as bare as before, further ones first', async () => {
    assert.match(await first!.exec('wolke host undo --with-data 2>&1 || true'), /^wolke: b2 is a host of this cluster/m)
    await second!.exec('wolke host undo --with-data')
    assert.match(await first!.exec('wolke host undo 2>&1 || true'), /^wolke: --with-data: \d servers?\b/m)
    await first!.exec('wolke host undo --with-data')
    assert.equal(await first!.exec('dpkg-query -W | grep -E "incus|ovn|openvswitch" || true'), '')
  })
})

test('a setup that was killed goes on where it was, and undone it leaves the machine as it was', inLab, async (t) => {
  const [host] = await bareHosts(t, 1)
  await giveWolke([host!])
  await host!.exec('apt-get update -q && apt-get install -q -y /root/wolke.deb')
  const before = await host!.exec(packagesAndFiles)

  // Killed within the step of Incus, whose script is left alone.
  await host!.exec(`wolke host setup --images none >/root/log 2>&1 & pid=$!
    until grep -q "^Incus with its pool \\.\\.\\." /root/log; do kill -0 $pid; sleep 0.1; done
    kill -KILL $pid; wait $pid || true`)
  assert.match(await host!.exec('wolke host setup --images none'), /^All is done\.$/m)
  assert.match(await host!.exec('wolke host setup --images none'), /^All is so already\.$/m)
  assert.doesNotMatch(await host!.exec('wolke host setup --images none --dry-run'), /: to do$/m)
  assert.match(
    await host!.exec('wolke host setup --pool-size 5GiB 2>&1 || true'),
    /^wolke: --pool-size: it is \/dev\/sdb/m,
  )
  // Only hosts reach Incus and OVN.
  assert.match(await host!.exec('nft list chain inet wolke_host input'), /tcp dport \{ 6641-6644, 8443 \} drop/)
  assert.match(
    await host!.exec('wolke host setup --join nonsense 2>&1 || true'),
    /^wolke: --join: this machine is a host already/m,
  )

  await host!.exec('wolke host undo --with-data')
  assert.equal(await host!.exec(packagesAndFiles), before)
  assert.match(await host!.exec('wolke host undo'), /nothing to undo/)
  assert.match(await host!.exec('wolke host setup --join nonsense 2>&1 || true'), /^wolke: --join: this is no token/m)
})

const pebble = findProgram('pebble')
const names = findProgram('pebble-challtestsrv')
const withPebble = pebble && names ? inLab : { skip: 'pebble is not installed' }

test('a certificate for a public name comes by ACME, and what is renewed is in use at once', withPebble, async (t) => {
  const [host] = await bareHosts(t, 1)
  await giveWolke([host!])
  const { directory, root } = await startAuthority(t, host!.address)
  writeFileSync(join(host!.root, 'root/ca.pem'), root)
  await host!.exec('apt-get update -q && apt-get install -q -y /root/wolke.deb')
  const trusting = 'export REQUESTS_CA_BUNDLE=/root/ca.pem; '
  const setup = `${trusting}wolke host setup --images none --public-name cloud.example.com --acme-email you@example.com`
  assert.match(
    await host!.exec(`${setup} --acme-server ${directory}`),
    /^The API is at https:\/\/cloud\.example\.com,/m,
  )
  const shown = async () =>
    host!.exec(`until wolke health >/dev/null 2>&1; do systemctl is-active --quiet wolke; sleep 0.1; done
      openssl s_client -connect 127.0.0.1:443 </dev/null 2>/dev/null | openssl x509 -noout -issuer -serial`)
  const before = await shown()
  assert.match(before, /^issuer=CN = Pebble Intermediate CA/)
  assert.match(await host!.exec('systemctl is-enabled certbot.timer'), /^enabled$/m)
  await host!.exec(`${trusting}certbot renew --force-renewal --no-random-sleep-on-renew`)
  assert.notEqual(await shown(), before)
  assert.match(await host!.exec(`${setup} --acme-server ${directory}`), /^All is so already\.$/m)
})

/** Starts Pebble on the network of the hosts; each name leads to one address. */
async function startAuthority(t: TestContext, address: string): Promise<{ directory: string; root: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-authority-'))
  const [cert, key, config] = ['cert.pem', 'key.pem', 'config.json'].map((name) => join(folder, name))
  const subject = ['-subj', '/CN=pebble', '-addext', `subjectAltName=IP:${gateway}`]
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await output(['openssl', 'req', '-x509', ...curve, ...subject, '-keyout', key!, '-out', cert!])
  const at = {
    listenAddress: `${gateway}:14000`,
    managementListenAddress: `${gateway}:15000`,
    httpPort: 80,
    tlsPort: 443,
  }
  const pebbles = {
    ...at,
    certificate: cert,
    privateKey: key,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
  }
  writeFileSync(config!, JSON.stringify({ pebble: pebbles }))
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv6', '']
  const children = [
    spawn(names!, ['-dns01', '127.0.0.1:8053', '-defaultIPv4', address, ...off], { stdio: 'ignore' }),
    spawn(pebble!, ['-config', config!, '-dnsserver', '127.0.0.1:8053'], {
      stdio: 'ignore',
      env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' },
    }),
  ]
  t.after(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })
  const directory = `https://${gateway}:14000/dir`
  const isUp = () =>
    ask(directory).then(
      () => true,
      () => false,
    )
  await until(isUp, 'Pebble answers')
  return { directory, root: readFileSync(cert!, 'utf8') }
}

/** The packages of a machine, and the files that belong to the setup. */
const packagesAndFiles = `dpkg-query -W -f '\${db:Status-Abbrev} \${Package}\\n' | grep ^ii | sort; cat /etc/wolke/wolke.yaml
ls -A /etc/wolke /etc/apt/sources.list.d /etc/systemd/system; blkid --probe /dev/sdb || true; nft list tables 2>/dev/null || true`

interface Server {
  readonly id: number
  readonly address: string
}

interface Cloud {
  // biome-ignore lint/suspicious/noExplicitAny: answers of many kinds
  get(path: string): Promise<any>
  make(name: string): Promise<Server>
}

function cloudOf({ address }: BareHost, token: string): Cloud {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const get = async (path: string) => JSON.parse((await ask(`https://${address}/v1${path}`, { headers })).body)
  return {
    get,
    async make(name) {
      const wanted = JSON.stringify({ name, server_type: 'cpx22', image: 'debian-12', location: 'hel1' })
      const { status, body } = await ask(`https://${address}/v1/servers`, { headers, method: 'POST' }, wanted)
      assert.equal(status, 201, body)
      const { server } = JSON.parse(body)
      await until(async () => (await get(`/servers/${server.id}`)).server.status === 'running', `${name} runs`)
      return { id: server.id, address: server.public_net.ipv4.ip }
    },
  }
}

interface Answer {
  readonly status: number | undefined
  readonly body: string
}

/** Asks a server whose certificate nobody has signed. */
function ask(url: string, options: Parameters<typeof request>[1] = {}, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { ...options, rejectUnauthorized: false }, (answer) => {
      text(answer).then((said) => resolve({ status: answer.statusCode, body: said }), reject)
    })
    asked.once('error', reject)
    asked.end(body)
  })
}

/** Waits until a server answers. */
async function reached({ address }: Server): Promise<void> {
  const ping = () =>
    output(['ping', '-c', '1', '-W', '1', address]).then(
      () => true,
      () => false,
    )
  await until(ping, `${address} answers`)
}

/** The token of a first host, whose command waits for the host that uses it. */
async function tokenOf(host: BareHost): Promise<string> {
  await host.exec('systemd-run --quiet --unit=wolke-token --property=StandardOutput=file:/run/token wolke host token')
  return (
    await host.exec('until grep ^wolke-host- /run/token; do systemctl is-active --quiet wolke-token; sleep 0.1; done')
  ).trim()
}
