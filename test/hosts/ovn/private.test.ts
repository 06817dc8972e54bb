/** Promises of private networks in OVN: alias IPs, routes, and who may send what, as OVN itself says. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Overlay, PrivateNic } from '../../../src/drivers/hosts/overlay/overlay.ts'
import { OvnSite } from '../kit/ovn.ts'
import { inLab } from '../kit/place.ts'

const gatewayMac = (network: number) => `10:66:6a:00:0${network}:01`

describe('private networks in OVN', inLab, () => {
  let site: OvnSite
  let overlay: Overlay

  before(async () => {
    site = await OvnSite.open()
    overlay = await site.overlay()
    await overlay.prepare()
    for (const [server, network] of [
      [1, 4],
      [2, 4],
      [3, 5],
    ] as const) {
      await overlay.admitPrivate(server, 1, [nic(server, network)])
      await site.plug(portOf(server, network), macOf(server), ipOf(server))
    }
  })
  after(() => site.close())

  const macOf = (server: number) => `96:00:01:00:00:0${server}`
  const ipOf = (server: number) => `10.0.1.${server}`
  const portOf = (server: number, network: number) => `incus-net${network}-instance-${server}-eth1`
  const nic = (server: number, network: number, more: Partial<PrivateNic> = {}): PrivateNic => {
    const own = { network, incusNetwork: `wn${network}`, instance: `${server}`, device: 'eth1', aliasIps: [] }
    return { ...own, mac: macOf(server), ip: ipOf(server), ...more }
  }

  /** Where a packet of a server gets to, from its own address unless another one is said. */
  const sent = async (server: number, network: number, destination: string, source = ipOf(server)) => {
    await overlay.converged()
    const frame = `inport == "${portOf(server, network)}" && eth.src == ${macOf(server)} && eth.dst == ${gatewayMac(network)}`
    const packet = `ip.ttl == 64 && ip4.src == ${source} && ip4.dst == ${destination} && udp.dst == 7`
    return site.trace(`incus-net${network}-ls-int`, `${frame} && ${packet}`)
  }

  test('lead from member to member, and not into other networks with the same addresses', async () => {
    assert.deepEqual(await sent(1, 4, ipOf(2)), [portOf(2, 4)])
    assert.deepEqual(await sent(2, 4, ipOf(1)), [portOf(1, 4)])
    // The router asks the members of its own network who has it.
    assert.ok(!(await sent(1, 4, ipOf(3))).includes(portOf(3, 5)))
  })

  test('let nobody send from an address of somebody else', async () => {
    assert.deepEqual(await sent(1, 4, ipOf(2), '10.0.1.77'), [])
    assert.deepEqual(await sent(2, 4, ipOf(1), ipOf(1)), [])
  })

  test('lead alias IPs to whoever has them, who may send from them', async () => {
    await overlay.admitPrivate(2, 2, [nic(2, 4, { aliasIps: ['10.0.9.9'] })])
    assert.deepEqual(await sent(1, 4, '10.0.9.9'), [portOf(2, 4)])
    assert.deepEqual(await sent(2, 4, ipOf(1), '10.0.9.9'), [portOf(1, 4)])
    // It goes to another server before the first one hears that it lost it.
    await overlay.admitPrivate(1, 2, [nic(1, 4, { aliasIps: ['10.0.9.9'] })])
    assert.deepEqual(await site.hopsTo('10.0.9.9/32', 4), [ipOf(1)])
    await overlay.admitPrivate(2, 3, [nic(2, 4)])
    assert.deepEqual(await sent(2, 4, '10.0.9.9'), [portOf(1, 4)])
    await overlay.admitPrivate(1, 3, [nic(1, 4)])
    assert.deepEqual(await site.hopsTo('10.0.9.9/32', 4), [])
  })

  test('have routes to what is behind a member, from which it may send then', async () => {
    const routes = [{ destination: '192.168.7.0/24', gateway: ipOf(2) }]
    assert.deepEqual(await sent(2, 4, ipOf(1), '192.168.7.7'), [])
    await overlay.privateRoutes(4, 1, 'wn4', routes)
    assert.deepEqual(await sent(1, 4, '192.168.7.7'), [portOf(2, 4)])
    assert.deepEqual(await sent(2, 4, ipOf(1), '192.168.7.7'), [portOf(1, 4)])
    assert.deepEqual(await sent(1, 4, ipOf(2), '192.168.7.7'), [], 'only the gateway')
    await overlay.privateRoutes(4, 2, 'wn4', [{ destination: '0.0.0.0/0', gateway: ipOf(1) }])
    assert.deepEqual(await site.hopsTo('192.168.7.0/24', 4), [])
    assert.deepEqual(await sent(2, 4, '203.0.114.9'), [portOf(1, 4)])
    assert.deepEqual(await sent(1, 4, ipOf(2), '203.0.114.9'), [portOf(2, 4)])
    await overlay.privateRoutes(4, 1, 'wn4', routes)
    assert.deepEqual(await site.hopsTo('192.168.7.0/24', 4), [], 'an older generation changes nothing')
    await overlay.privateRoutes(4, 3, 'wn4', [])
    assert.deepEqual(await sent(2, 4, '203.0.114.9'), [])
  })

  test('lead to whoever has the address of a member whose port Incus has left', async () => {
    await overlay.admitPrivate(2, 4, [])
    const next = nic(4, 4, { ip: ipOf(2) })
    await overlay.admitPrivate(4, 1, [next])
    await site.plug(portOf(4, 4), next.mac, next.ip)
    assert.deepEqual(await sent(1, 4, next.ip), [portOf(4, 4)])
    assert.deepEqual(await site.ports(4), [portOf(1, 4), portOf(4, 4)])
    // It was made again, under another name.
    await overlay.admitPrivate(4, 2, [{ ...next, instance: 'anew' }])
    assert.deepEqual(await site.ports(4), [portOf(1, 4)])
  })

  test('have nothing left of who is gone', async () => {
    await overlay.reserve(1, 1, null)
    await overlay.forget(1, 5)
    await overlay.admitPrivate(1, 3, [nic(1, 4)])
    assert.deepEqual(await site.ports(4), [])
    const left = ['--bare', '--columns=name', 'find', 'Port_Group', 'external_ids:place=server-1']
    assert.equal(await site.nb(...left), '')
    await overlay.privateRoutes(5, 1, 'wn5', [{ destination: '192.168.7.0/24', gateway: ipOf(3) }])
    await overlay.forgetNetwork(5, 2)
    assert.equal(await site.nb('--bare', '--columns=name', 'find', 'Port_Group', 'external_ids:network=5'), '')
    assert.equal((await overlay.inventory()).networks.has(5), false)
  })

  test('remember for two days what was removed', async () => {
    await overlay.reserve(7, 1, null)
    await overlay.forget(7, 1)
    await overlay.inventory()
    assert.equal(await overlay.reserve(7, 1, null), undefined)
    await site.nb('set', 'Port_Group', 'wolke_server_7', 'external_ids:gone="2026-01-01T00:00:00.000Z"')
    await overlay.inventory()
    assert.equal(await site.nb('--bare', '--columns=name', 'find', 'Port_Group', 'name=wolke_server_7'), '')
  })
})
