import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, serveDns } from '../../../../test/dns/client.ts'
import { type Answer, forProjects, type World } from '../../../../test/kit/harness.ts'
import { done, neverExisted } from '../../../../test/kit/proof.ts'
import { expect, refused } from '../../../../test/kit/resources.ts'
import { makePrimaryIp } from '../../primary-ips/proof.ts'
import { makeServer } from '../../servers/proof.ts'
import { balancerBody, balancerOf, command, makeBalancer } from '../proof.ts'

const inFsn = { location: 'fsn1' }
const inFsn6 = { ...inFsn, type: 'ipv6' }

const publicNet = async ({ api }: World, id: number) => (await balancerOf(api, id)).public_net

const rename = ({ api }: World, id: number, ip: string, dns_ptr: string | null) =>
  command(api, id, 'change_dns_ptr', { ip, dns_ptr })

const primaryIp = async ({ api }: World, id: number) => (await done(api.get(`/primary_ips/${id}`))).primary_ip

/** The name that the name server has for an address. */
function reversed(ip: string): string {
  if (!ip.includes(':')) return `${ip.split('.').reverse().join('.')}.in-addr.arpa`
  const full = ip.replace('::', ':'.repeat(9 - ip.split(':').length + 1)).split(':')
  const digits = full.map((group) => group.padStart(4, '0')).join('')
  return `${digits.split('').reverse().join('.')}.ip6.arpa`
}

forProjects('Addresses of Load Balancers', (open) => {
  test('have reverse names that the name server answers with: a default for IPv4, none for IPv6', async () => {
    const world = await open()
    const place = await serveDns(world)
    const pointer = async (ip: string) => {
      const told = await ask(place, reversed(ip), 'PTR')
      return told.answers.map((line) => line.split(' ')[2]).join() || told.rcode
    }
    const id = await makeBalancer(world)
    const { ipv4, ipv6 } = await publicNet(world, id)
    const usual = `static.${ipv4.ip.split('.').reverse().join('.')}.clients.wolke.example`
    assert.deepEqual([ipv4.dns_ptr, await pointer(ipv4.ip)], [usual, usual])
    assert.deepEqual([ipv6.dns_ptr, await pointer(ipv6.ip)], [null, 'NXDOMAIN'])
    const { action } = await done(rename(world, id, ipv4.ip, 'four.example.com'))
    assert.deepEqual([action.command, action.status], ['change_dns_ptr', 'success'])
    await done(rename(world, id, ipv6.ip, 'six.example.com'))
    const { ipv4: named4, ipv6: named6 } = await publicNet(world, id)
    assert.deepEqual([named4.dns_ptr, await pointer(ipv4.ip)], ['four.example.com', 'four.example.com'])
    assert.deepEqual([named6.dns_ptr, await pointer(ipv6.ip)], ['six.example.com', 'six.example.com'])
    await done(rename(world, id, ipv4.ip, null))
    await done(rename(world, id, ipv6.ip, null))
    assert.deepEqual(await publicNet(world, id), { enabled: true, ipv4, ipv6 })
    assert.deepEqual([await pointer(ipv4.ip), await pointer(ipv6.ip)], [usual, 'NXDOMAIN'])
    await done(world.api.delete(`/load_balancers/${id}`))
    assert.equal(await pointer(ipv4.ip), 'NXDOMAIN')
  })

  test('are named exactly, and take names as those of others do', async () => {
    const world = await open()
    const id = await makeBalancer(world)
    const { ipv4, ipv6 } = await publicNet(world, id)
    for (const ip of ['192.0.2.250', ipv6.ip.replace(/1$/, '2'), 'x']) {
      refused(await rename(world, id, ip, 'www.example.com'), 'ip')
    }
    refused(await rename(world, id, ipv4.ip, 'www.example.com.'), 'dns_ptr')
    refused(await rename(world, id, ipv4.ip, 'a b'), 'dns_ptr')
    refused(await command(world.api, id, 'change_dns_ptr', { ip: ipv4.ip }), 'dns_ptr')
  })

  test('are released with the Load Balancer, and rest before anybody gets them', async () => {
    const world = await open({ addressPool: ['192.0.2.1/32', '2001:db8::/64'] })
    const id = await makeBalancer(world)
    expect(await world.api.post('/load_balancers', balancerBody()), 412, 'resource_unavailable')
    const { ipv4 } = await publicNet(world, id)
    await done(world.api.delete(`/load_balancers/${id}`))
    await world.settle()
    expect(await world.api.post('/load_balancers', balancerBody()), 412, 'resource_unavailable')
    world.clock.advance(600_001)
    assert.equal((await publicNet(world, await makeBalancer(world))).ipv4.ip, ipv4.ip)
  })
})

forProjects('Primary IPs of Load Balancers', (open) => {
  test('are those that the creation names, and keep their names', async () => {
    const world = await open()
    const [ipv4, ipv6] = [await makePrimaryIp(world, inFsn), await makePrimaryIp(world, inFsn6)]
    const id = await makeBalancer(world, { public_net: { ipv4, ipv6 } })
    const [four, six] = [await primaryIp(world, ipv4), await primaryIp(world, ipv6)]
    assert.deepEqual([four.assignee_id, four.assignee_type, six.assignee_id], [id, 'load_balancer', id])
    const address = six.ip.replace('/64', '1')
    assert.deepEqual(await publicNet(world, id), {
      enabled: true,
      ipv4: { id: ipv4, ip: four.ip, dns_ptr: four.dns_ptr[0].dns_ptr },
      ipv6: { id: ipv6, ip: address, dns_ptr: null },
    })
    await done(rename(world, id, four.ip, 'four.example.com'))
    await done(
      world.api.post(`/primary_ips/${ipv6}/actions/change_dns_ptr`, { ip: address, dns_ptr: 'six.example.com' }),
    )
    const named = await publicNet(world, id)
    assert.deepEqual([named.ipv4.dns_ptr, named.ipv6.dns_ptr], ['four.example.com', 'six.example.com'])
    assert.deepEqual((await primaryIp(world, ipv4)).dns_ptr, [{ ip: four.ip, dns_ptr: 'four.example.com' }])
    const mixed = await publicNet(world, await makeBalancer(world, { public_net: { ipv6: null } }))
    assert.deepEqual([mixed.ipv4.id, mixed.ipv6.id], [null, null])
  })

  test('stay with it for its whole life, and then go or stay as auto_delete says', async () => {
    const world = await open()
    const [ipv4, ipv6] = [
      await makePrimaryIp(world, { ...inFsn, auto_delete: true }),
      await makePrimaryIp(world, inFsn6),
    ]
    const id = await makeBalancer(world, { public_net: { ipv4, ipv6 } })
    expect(await world.api.delete(`/primary_ips/${ipv4}`), 422, 'must_be_unassigned')
    expect(await world.api.post(`/primary_ips/${ipv4}/actions/unassign`), 422, 'unsupported_error')
    const server = await makeServer(world, { location: 'fsn1', start_after_create: false })
    const to = { assignee_id: server, assignee_type: 'server' }
    expect(await world.api.post(`/primary_ips/${ipv4}/actions/assign`, to), 422, 'primary_ip_already_assigned')
    await done(world.api.delete(`/load_balancers/${id}`))
    await world.settle()
    expect(await world.api.get(`/primary_ips/${ipv4}`), 404)
    const { assignee_id, assignee_type } = await primaryIp(world, ipv6)
    assert.deepEqual([assignee_id, assignee_type], [null, 'unassigned'])
    await makeBalancer(world, { public_net: { ipv6 } })
  })

  test('that it cannot have are refused, each with its code', async () => {
    const world = await open()
    const taken = await makePrimaryIp(world, inFsn)
    await makeBalancer(world, { public_net: { ipv4: taken } })
    const ipv6 = await makePrimaryIp(world, inFsn6)
    const far = await makePrimaryIp(world, { location: 'hel1' })
    const create = (public_net: object): Promise<Answer> =>
      world.api.post('/load_balancers', balancerBody({ public_net }))
    expect(await create({ ipv4: neverExisted }), 404, 'not_found')
    expect(await create({ ipv4: ipv6 }), 412, 'primary_ip_version_mismatch')
    expect(await create({ ipv4: taken }), 422, 'primary_ip_assigned')
    expect(await create({ ipv4: far }), 422, 'primary_ip_location_mismatch')
    expect(await create({ ipv4: 'x' }), 422, 'invalid_input')
    const theirs = balancerBody({ public_net: { ipv6 } })
    expect(await world.foreign.post('/load_balancers', theirs), 404, 'not_found')
    assert.equal((await primaryIp(world, ipv6)).assignee_id, null)
  })
})
