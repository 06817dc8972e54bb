/** What passes while the network of servers is changed: all that may, and nothing else. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import type { Lab } from '../../lab/lab.ts'
import { by, connect, firstOf, ipv4Of, ipv6Of, type Json, ping } from '../conformance/stage.ts'
import { until } from '../kit/database/bare-database.ts'
import { isLong } from '../run/long.ts'
import { during, EchoServer, echo, knock, perSecond, type Tally } from './kit/flow.ts'
import { inGuest, output } from './kit/guests.ts'
import { onLab } from './kit/place.ts'

const changes = isLong ? 200 : 20
const port = 7777
const anywhere = ['0.0.0.0/0', '::/0']

const rule = (protocol: string, first: string, sources: readonly string[] = anywhere) => ({
  direction: 'in',
  protocol,
  port: first,
  source_ips: sources,
})

/** Rules of two sizes in turn, which all accept what is sent. */
function rulesOf(turn: number): object[] {
  const networks = (k: number) => Array.from({ length: 10 }, (_, n) => `10.${k}.${n}.0/24`)
  const others = Array.from({ length: turn % 2 ? 48 : 20 }, (_, k) => rule('tcp', `${1000 + k}`, networks(k)))
  return [...others, rule('tcp', '22'), rule('udp', `${port}`)]
}

function noneLost({ sent, lost }: Tally, of: string): void {
  assert.ok(sent > 100, `${sent} of ${of} were sent`)
  assert.deepEqual(lost, [], `${lost.length} of ${sent} were lost ${of}, at these moments`)
}

onLab('no connection is lost while the rules of a filter are replaced', async (stage, { lab }) => {
  const { firewall } = await stage.post('/firewalls', { name: 'wall', rules: rulesOf(0) })
  const [server] = await stage.servers({ name: 'guarded', firewalls: [{ firewall: firewall.id }] })
  const address = ipv4Of(server)
  await stage.answers(address, 'guarded')
  const echoes = await EchoServer.start(lab, server.id, port, address)
  await until(() => echo(address, port), 'datagrams come back')
  const tally = await during(
    () => echo(address, port),
    async (pass) => {
      for (let turn = 1; turn <= changes; turn++) {
        await stage.post(`/firewalls/${firewall.id}/actions/set_rules`, { rules: rulesOf(turn) })
        await pass(perSecond / 4)
      }
    },
  )
  await echoes.stop()
  noneLost(tally, 'while rules were replaced')
})

onLab('no connection is lost while a Floating IP moves between hosts', async (stage, { lab, look }) => {
  const apart = await stage.apart()
  const servers = await stage.servers({ name: 'one', ...apart }, { name: 'two', ...apart })
  await stage.areApart(servers[0].id, servers[1].id)
  const ips: Json[] = []
  for (const type of ['ipv4', 'ipv6']) {
    const wanted = { type, name: type, server: servers[0].id }
    ips.push((await stage.post('/floating_ips', wanted)).floating_ip)
  }
  const addresses = ips.map(({ ip }) => firstOf(ip)) as [string, string]
  const echoes: EchoServer[] = []
  for (const { id, name, public_net } of servers) {
    await stage.answers(public_net.ipv4.ip, name)
    for (const address of addresses) await look.configure(id, { address })
    echoes.push(await EchoServer.start(lab, id, port, ...addresses))
  }
  for (const address of addresses) {
    await until(() => echo(address, port), `datagrams come back from ${address}`)
  }
  let turn = 0
  const tally = await during(
    () => echo(addresses[turn++ % 2]!, port),
    async (pass) => {
      for (let move = 1; move <= changes; move++) {
        const server = servers[move % 2].id
        const moves = ips.map(({ id }) => stage.post(`/floating_ips/${id}/actions/assign`, { server }))
        await Promise.all(moves)
        await pass(perSecond / 4)
      }
    },
  )
  for (const one of echoes) await one.stop()
  noneLost(tally, 'while it moved')
})

onLab('nothing passes a filter that drops all while its server restarts', async (stage) => {
  const { firewall } = await stage.post('/firewalls', { name: 'wall', rules: [rule('tcp', '22')] })
  const [server] = await stage.servers({ name: 'guarded', firewalls: [{ firewall: firewall.id }] })
  const address = ipv4Of(server)
  await stage.answers(address, 'guarded')
  await stage.vanish(connect(address, 1))
  const { sent, lost } = await during(
    () => knock(address, 1),
    async () => {
      await stage.command(server.id, 'reset')
      await stage.command(server.id, 'poweroff')
      await stage.command(server.id, 'poweron')
      await stage.answers(address, 'guarded')
    },
  )
  assert.ok(sent > 100, `${sent} were sent`)
  assert.equal(sent - lost.length, 0, 'connections that got through')
})

onLab('a server sends from no address that does not lead to it', async (stage, { lab, look }) => {
  const [honest, liar] = await stage.servers({ name: 'honest' }, { name: 'liar' })
  await stage.answers(ipv4Of(liar), 'liar')
  await stage.answers(ipv4Of(honest), 'honest')
  const heard: string[] = []
  for (const [kind, outside, own, others] of [
    ['udp4', lab.outside.ipv4, ipv4Of(liar), [ipv4Of(honest), '172.31.200.200', '192.0.2.77']],
    ['udp6', lab.outside.ipv6, ipv6Of(liar), [ipv6Of(honest), '2001:db8:ffff::77']],
  ] as const) {
    const listener = createSocket(kind)
    listener.on('message', (_, { address }) => heard.push(address))
    await new Promise<void>((resolve) => listener.bind(0, outside, resolve))
    for (const address of [...others, own]) {
      if (address !== own) await look.configure(liar.id, { address })
      await output(inGuest(lab, liar.id, ['python3', '-c', sending, address, outside, `${listener.address().port}`]))
    }
    await until(() => heard.includes(own), `what ${own} sent is heard`)
    listener.close()
  }
  assert.deepEqual([...new Set(heard)], [ipv4Of(liar), ipv6Of(liar)])
  // Other servers are as far as the outside.
  await stage.arrive(by(liar, ping(ipv4Of(honest))))
  await claimsNoRouter(lab, honest, liar)
})

/** Asserts that a server cannot tell another that it is the router of IPv6. */
async function claimsNoRouter(lab: Lab, honest: Json, liar: Json): Promise<void> {
  const inLiar = (...command: readonly string[]) => output(inGuest(lab, liar.id, command))
  const own = /inet6 (fe80:[^/]+)/.exec(await inLiar('ip', '-6', 'address', 'show', 'dev', 'eth0'))![1]!
  const mac = (await inLiar('cat', '/sys/class/net/eth0/address')).trim()
  const ear = ['timeout', '60', 'python3', '-c', hearingUntil, own, mac]
  let isHeard = false
  const hearing = output(inGuest(lab, honest.id, ear)).finally(() => {
    isHeard = true
  })
  // What is true is heard several times, between which there is what is not.
  while (!isHeard) for (const address of ['fe80::1', own]) await inLiar('python3', '-c', claiming, address)
  assert.deepEqual([...new Set((await hearing).trim().split('\n'))], [own])
}

/** Prints what another one on the link claims to be, until it has claimed a certain address more often than at one go. */
const hearingUntil = `
import socket, sys
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x86dd))
link.bind(('eth0', 0x86dd))
left = 8
while left > 0:
    frame = link.recv(2048)
    if frame[20] == 58 and frame[54] == 136 and frame[6:12].hex(':') == sys.argv[2]:
        claimed = socket.inet_ntop(socket.AF_INET6, frame[62:78])
        left -= claimed == sys.argv[1]
        print(claimed)
`

/** Tells all on the link that an address of IPv6 is here. */
const claiming = `
import socket, struct, sys
address = socket.inet_pton(socket.AF_INET6, sys.argv[1])
everybody = socket.inet_pton(socket.AF_INET6, 'ff02::1')
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(('eth0', 0))
mac = link.getsockname()[4]
def send(body):
    pseudo = address + everybody + struct.pack('!II', len(body), 58)
    words = struct.unpack(f'!{(len(pseudo) + len(body)) // 2}H', pseudo + body)
    total = sum(words)
    total = (total >> 16) + (total & 0xffff)
    total = ~(total + (total >> 16)) & 0xffff
    body = body[:2] + struct.pack('!H', total) + body[4:]
    head = struct.pack('!IHBB', 6 << 28, len(body), 58, 255) + address + everybody
    link.send(bytes.fromhex('333300000001') + mac + b'\\x86\\xdd' + head + body)
for _ in range(5):
    send(struct.pack('!BBHI', 136, 0, 0, 0xa0000000) + address + b'\\x02\\x01' + mac)
`

/** Sends datagrams from an address. */
const sending = `
import socket, sys
source, to, port = sys.argv[1:]
one = socket.socket(socket.AF_INET6 if ':' in source else socket.AF_INET, socket.SOCK_DGRAM)
one.bind((source, 0))
for _ in range(5):
    one.sendto(b'hello', (to, int(port)))
`
