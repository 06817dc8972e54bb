/** Bare machines become hosts of a cloud by one command, which may be cut off, is the same twice, and undoes itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BareHost } from '../../lab/bare/hosts.ts'
import { bareHosts, giveWolke } from './kit/bare.ts'
import { inLab } from './kit/place.ts'

/** The image is that of the lab, as each one built takes minutes. */
const setup =
  'wolke host setup --images debian-12 --image-metadata /srv/image/metadata.tar.xz --image-root /srv/image/root.squashfs'

async function install(hosts: readonly BareHost[]): Promise<void> {
  await giveWolke(hosts)
  const script = 'export DEBIAN_FRONTEND=noninteractive; apt-get update -q && apt-get install -q -y /root/wolke.deb'
  await Promise.all(hosts.map(({ exec }) => exec(script)))
}

/** What apt has installed, and the files that the setup may write to. */
const state = (host: BareHost) =>
  host.exec(
    'dpkg-query -W -f "\\${db:Status-Abbrev} \\${Package}\\n" | grep "^ii" | sort; cat /etc/wolke/wolke.yaml; ls -A /etc/wolke /etc/apt/sources.list.d; nft list tables 2>/dev/null || true',
  )

interface ServerReply {
  readonly server: {
    readonly id: number
    readonly status: string
    readonly public_net: { readonly ipv4: { readonly ip: string } }
  }
}

/** The path and body of requests to the API of a host, which is asked there. */
function apiOf(host: BareHost, token: string) {
  return async (path: string, body?: object): Promise<ServerReply> => {
    const data = body === undefined ? '' : `-X POST -H 'content-type: application/json' -d '${JSON.stringify(body)}'`
    const text = await host.exec(
      `curl -sS --fail-with-body --cacert /etc/wolke/cert.pem -H 'Authorization: Bearer ${token}' ${data} https://${host.address}/v1${path}`,
    )
    return JSON.parse(text) as ServerReply
  }
}

/** Makes a server and waits until it runs; its IPv4 address. */
async function makeServer(host: BareHost, name: string): Promise<string> {
  const token = (await host.exec(`wolke token create --project default --name ${name}`)).split('\n')[0]!
  const api = apiOf(host, token)
  const { server } = await api('/servers', { name, server_type: 'cpx11', image: 'debian-12' })
  await untilIs('running', async () => (await api(`/servers/${server.id}`)).server.status)
  return server.public_net.ipv4.ip
}

async function untilIs<T>(wanted: T, look: () => Promise<T>): Promise<void> {
  const end = performance.now() + 120_000
  for (;;) {
    const found = await look()
    if (found === wanted) return
    if (performance.now() > end) assert.equal(found, wanted)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

const answers = (host: BareHost, address: string) =>
  host.exec(`for attempt in $(seq 60); do ping -c 1 -W 1 ${address} >/dev/null && exit; done; exit 1`)

test(
  'a bare machine becomes a cloud, also after a run that was killed; it comes back after a reboot, and undoes itself',
  inLab,
  async (t) => {
    const [host] = await bareHosts(t, 1)
    await install([host!])
    const before = await state(host!)

    const planned = await host!.exec(`${setup} --dry-run`)
    assert.match(planned, /^Packages: to do$/m)
    assert.match(planned, /^ {2}replace \/etc\/wolke\/wolke\.yaml:$/m)
    assert.match(planned, /^Disks of servers: \/dev\/sdb /m)
    assert.equal(await state(host!), before)

    // Killed within the step of Incus, whose script goes on alone.
    await host!.exec(
      `${setup} >/root/log 2>&1 & pid=$!; until grep -q "^Incus with its pool \\.\\.\\." /root/log; do kill -0 $pid; sleep 0.1; done; kill -KILL $pid; wait $pid || true`,
    )
    assert.match(await host!.exec(setup), /^All is done\.$/m)
    const again = await host!.exec(setup)
    assert.match(again, /^All is so already\.$/m)
    assert.match(again, /^The first administrator begins here: https:\/\/10\.98\.0\.1\/console\/setup#/m)
    assert.doesNotMatch(await host!.exec(`${setup} --dry-run`), /: to do$/m)
    assert.match(await host!.exec(`${setup} --pool-size 5GiB 2>&1 || true`), /^wolke: --pool-size: it is \/dev\/sdb/m)

    const address = await makeServer(host!, 'web')
    await answers(host!, address)
    // Only hosts reach Incus and OVN.
    assert.match(await host!.exec('nft list chain inet wolke_host input'), /tcp dport \{ 6641-6644, 8443 \} drop/)

    await host!.reboot()
    await host!.exec('until wolke health >/dev/null 2>&1; do sleep 0.2; done')
    await answers(host!, address)
    assert.match(await host!.exec(setup), /^All is so already\.$/m)

    assert.match(await host!.exec('wolke host undo 2>&1 || true'), /^wolke: --with-data: 1 servers/m)
    assert.match(await host!.exec('wolke host undo --with-data'), /^All is undone\.$/m)
    assert.equal(await state(host!), before)
    assert.match(await host!.exec('wolke host undo'), /nothing to undo/)
  },
)

test(
  'a further machine joins with a token for one use, and its servers are reached through the first one',
  inLab,
  async (t) => {
    const [first, second] = await bareHosts(t, 2)
    await install([first!, second!])
    await first!.exec(setup)
    await first!.exec(
      'wolke host token >/root/token 2>&1 & until grep -q ^wolke-host- /root/token; do kill -0 $!; sleep 0.1; done',
    )
    const token = (await first!.exec('head -n 1 /root/token')).trim()

    const planned = await second!.exec(`wolke host setup --dry-run --join ${token}`)
    assert.match(planned, /^Incus as a further member, with its pool: to do$/m)
    assert.match(await second!.exec(`wolke host setup --join ${token}`), /^All is done\.$/m)
    await first!.exec(
      'until grep -q "^b2 is a host" /root/token; do pgrep -f "host token" >/dev/null || exit 1; sleep 0.2; done',
    )
    assert.match(await second!.exec(`wolke host setup --join ${token}`), /^All is so already\.$/m)
    assert.equal(
      await first!.exec('incus cluster list --format csv | cut -d , -f 1,7 | sort'),
      'b1,ONLINE\nb2,ONLINE\n',
    )
    assert.match(await first!.exec('cat /etc/wolke/wolke.yaml'), /- https:\/\/10\.98\.0\.2:8443/)
    assert.match(await first!.exec('wolke infrastructure check'), /packets from b1 to b2\tok/)

    assert.match(await first!.exec('wolke host undo 2>&1 || true'), /^wolke: b2 are hosts of this cluster/m)
    await second!.exec('wolke host undo')
    await second!.reboot()
    assert.match(
      await second!.exec(`wolke host setup --join ${token} 2>&1 || true`),
      /^wolke: --join: nobody waits at /m,
    )
  },
)
