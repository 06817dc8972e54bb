/** Servers on hosts: how long until a new one can be logged in to, and until an address has moved from one to another. */
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { publicBase } from '../src/kernel/contract/bases.ts'
import { onHosts } from '../test/hosts/kit/cluster.ts'
import { inGuest, output } from '../test/hosts/kit/guests.ts'
import { call, idsOf, timed, untilSettled } from './client.ts'
import { command, finish, type HostsBench, inTurns } from './hosts-rounds.ts'
import type { Row } from './report.ts'

/** The image Debian 12 of the catalogue, as Incus knows it. */
const image = 'wolke-114690387'
/** An address that Wolke gives nobody: it is outside of the pool that it is told of. */
const unused = '198.18.250.1/32'

/**
 * Measures from the request until SSH greets, and what `incus launch` takes for the same image, network and size. Both sides
 * are asked as often, and seldom enough to leave the processors to the guest.
 */
export async function createToSsh(bench: HostsBench): Promise<Row[]> {
  const { pool, network } = bench.lab.names
  const wolke = async (round: number) => {
    let id = 0
    const took = await timed(async () => {
      const { server, action, next_actions } = (
        await call('POST', `${bench.url}${publicBase}/servers`, serverNamed(`ssh-${round}`))
      ).body
      id = server.id
      const done = untilSettled(bench.url, idsOf([action, ...next_actions]), 100)
      await Promise.all([done, until(() => greets(server.public_net.ipv4.ip), 'SSH greets', 50)])
    })
    await finish(bench, 'DELETE', `/servers/${id}`)
    return took
  }
  const bare = async (round: number) => {
    const name = `bench-${round}`
    const size = ['-c', 'limits.cpu=2', '-c', 'limits.memory=4GiB']
    const took = await timed(async () => {
      const options = ['--no-profiles', '--storage', pool, '--network', network, ...size]
      await command(bench, 'incus', 'launch', '--quiet', image, name, ...options)
      const wait = 'until read -t 1 line </dev/tcp/127.0.0.1/22; do sleep 0.05; done 2>/dev/null'
      await command(bench, 'timeout', '60', 'incus', 'exec', name, '--', 'bash', '-c', wait)
    })
    await command(bench, 'incus', 'delete', '--force', name)
    return took
  }
  return [
    await inTurns(bench, { name: 'create to SSH', note: 'bare: incus launch, SSH asked from inside' }, wolke, bare),
  ]
}

/**
 * Measures from the request until the address is answered by the other server, and what OVN's own command takes for a
 * route.
 */
export async function floatingIp(bench: HostsBench): Promise<Row[]> {
  const servers = await Promise.all(['here', 'there'].map(async (name) => (await createdServer(bench, name)).server.id))
  const { floating_ip: floating } = await finish(bench, 'POST', '/floating_ips', {
    type: 'ipv4',
    home_location: onHosts.location,
  })
  for (const id of servers) await serveId(bench, id, floating.ip)
  const router = await publicRouter(bench)
  const wolke = async (round: number) => {
    const server = servers[round % 2]!
    return await timed(async () => {
      await finish(bench, 'POST', `/floating_ips/${floating.id}/actions/assign`, { server })
      await until(async () => (await answerOf(floating.ip)) === `${server}`, `server ${server} answers`)
    })
  }
  const bare = (round: number) => {
    const route = ['--may-exist', 'lr-route-add', router, unused, `172.31.255.${1 + (round % 2)}`]
    return timed(() => command(bench, 'ovn-nbctl', '--wait=hv', '--timeout=60', ...route))
  }
  const row = await inTurns(
    bench,
    { name: 'floating IP moved and answered', note: 'bare: ovn-nbctl --wait=hv lr-route-add' },
    wolke,
    bare,
  )
  await command(bench, 'ovn-nbctl', 'lr-route-del', router, unused)
  await finish(bench, 'POST', `/floating_ips/${floating.id}/actions/unassign`)
  for (const id of servers) await finish(bench, 'DELETE', `/servers/${id}`)
  return [row]
}

/** A small server. */
export const serverNamed = (name: string) => ({
  name,
  server_type: onHosts.type,
  image: onHosts.image,
  location: onHosts.location,
})

async function createdServer(bench: HostsBench, name: string) {
  const reply = await finish(bench, 'POST', '/servers', serverNamed(name))
  await until(() => greets(reply.server.public_net.ipv4.ip), `${name} has started`)
  return reply
}

/** Lets a server answer requests to an address with its own id. */
async function serveId({ lab }: HostsBench, id: number, address: string): Promise<void> {
  const serve = 'systemd-run --quiet --unit=bench python3 -m http.server 8080 --directory /run/bench'
  const script = `ip address add ${address}/32 dev lo; mkdir /run/bench; printf ${id} >/run/bench/id; ${serve}`
  await output(inGuest(lab, id, ['sh', '-euc', script]))
}

/** Returns OVN's name of the router of the public network. */
async function publicRouter(bench: HostsBench): Promise<string> {
  const said = await command(bench, 'incus', 'query', `/1.0/networks/${bench.lab.names.network}/state`)
  return JSON.parse(said).ovn.logical_router
}

/**
 * Tells whether an SSH server sends its greeting. Nobody answers for an address whose guest does not have it yet, where one
 * that asks from inside is refused at once.
 */
async function greets(host: string): Promise<boolean> {
  const socket = connect({ host, port: 22 })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(100) })
    const [said] = await once(socket, 'data', { signal: AbortSignal.timeout(1_000) })
    return String(said).startsWith('SSH-')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Returns the id that the server with an address gives; undefined while none answers. */
async function answerOf(host: string): Promise<string | undefined> {
  const asked = request({ host, port: 8080, path: '/id', agent: false, signal: AbortSignal.timeout(1_000) })
  try {
    const [response] = await once(asked.end(), 'response')
    return (await response.toArray()).join('')
  } catch {
    return undefined
  }
}

/** Asks again every few milliseconds until it is so. Errors: one after two minutes. */
async function until(isSo: () => Promise<boolean>, what: string, everyMs = 10): Promise<void> {
  const end = performance.now() + 120_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`it is not so that ${what}`)
    await delay(everyMs)
  }
}
