/** The name server and addresses: the names that they have, in both directions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DefaultNames } from '../../src/protocols/net/default-names.ts'
import { forEachDatabase } from '../kit/harness.ts'
import { expect } from '../kit/resources.ts'
import { ask, serveDns } from './client.ts'

forEachDatabase('The names of addresses', (open) => {
  test('every address that somebody holds has its name, in both directions while it is the default', async () => {
    const world = await open()
    const place = await serveDns(world)
    const pointer = async (name: string) => {
      const told = await ask(place, name, 'PTR')
      return told.answers.map((line) => line.split(' ')[2]).join() || told.rcode
    }
    const reverse = (ip: string) => `${ip.split('.').reverse().join('.')}.in-addr.arpa`
    assert.equal(await pointer(reverse('192.0.2.1')), 'NXDOMAIN')
    const { floating_ip: ip } = (await world.api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' })).body
    assert.equal(await pointer(reverse(ip.ip)), ip.dns_ptr[0].dns_ptr)
    assert.deepEqual((await ask(place, ip.dns_ptr[0].dns_ptr, 'A')).answers, [`${ip.dns_ptr[0].dns_ptr} A ${ip.ip}`])
    await world.api.post(`/floating_ips/${ip.id}/actions/change_dns_ptr`, { ip: ip.ip, dns_ptr: 'mail.example.com' })
    assert.equal(await pointer(reverse(ip.ip)), 'mail.example.com')
    await world.api.delete(`/floating_ips/${ip.id}`)
    assert.equal(await pointer(reverse(ip.ip)), 'NXDOMAIN')
    const { server } = (await world.api.post('/servers', { name: 's', server_type: 'cpx22', image: 'debian-13' })).body
    const { ipv4 } = server.public_net
    assert.equal(await pointer(reverse(ipv4.ip)), ipv4.dns_ptr)
    assert.equal(await pointer(reverse('10.0.0.1')), 'REFUSED')
  })

  test('addresses of IPv6 networks have the names that they were given', async () => {
    const world = await open()
    const place = await serveDns(world)
    const { floating_ip: network } = (await world.api.post('/floating_ips', { type: 'ipv6', home_location: 'hel1' }))
      .body
    const ip = network.ip.replace(/\/64$/, '1')
    const full = ip
      .replace('::', ':'.repeat(9 - ip.split(':').length + 1))
      .split(':')
      .map((group: string) => group.padStart(4, '0'))
    const name = `${full.join('').split('').reverse().join('.')}.ip6.arpa`
    assert.equal((await ask(place, name, 'PTR')).rcode, 'NXDOMAIN')
    expect(
      await world.api.post(`/floating_ips/${network.id}/actions/change_dns_ptr`, { ip, dns_ptr: 'six.example.com' }),
      201,
    )
    assert.deepEqual((await ask(place, name, 'PTR')).answers, [`${name} PTR six.example.com`])
    const told = await ask(place, name, 'TXT')
    assert.deepEqual([told.rcode, told.answers, told.authorities.length], ['NOERROR', [], 1])
    assert.equal((await ask(place, name.split('.').slice(3).join('.'), 'PTR')).rcode, 'NOERROR')
  })

  test('default names have the form that the operator gives them, in IPv6 networks too', async () => {
    const forms = { ipv4: 'ip-{ipv4-dashed}.hosts.{domain}', ipv6: '{ipv6-dashed}.hosts.{domain}' }
    const world = await open({ defaultNames: new DefaultNames({ domain: 'wolke.example', ...forms }) })
    const place = await serveDns(world)
    const make = async (type: string) =>
      expect(await world.api.post('/floating_ips', { type, home_location: 'hel1' }), 201).body.floating_ip
    const [one, network] = [await make('ipv4'), await make('ipv6')]
    const name = `ip-${one.ip.replaceAll('.', '-')}.hosts.wolke.example`
    assert.deepEqual([one.dns_ptr, network.dns_ptr], [[{ ip: one.ip, dns_ptr: name }], []])
    const reverse = `${one.ip.split('.').reverse().join('.')}.in-addr.arpa`
    assert.deepEqual((await ask(place, reverse, 'PTR')).answers, [`${reverse} PTR ${name}`])
    assert.deepEqual((await ask(place, name, 'A')).answers, [`${name} A ${one.ip}`])
    const change = { ip: one.ip, dns_ptr: 'www.example.com' }
    expect(await world.api.post(`/floating_ips/${one.id}/actions/change_dns_ptr`, change), 201)
    expect(await world.api.post(`/floating_ips/${one.id}/actions/change_dns_ptr`, { ...change, dns_ptr: null }), 201)
    assert.deepEqual((await ask(place, reverse, 'PTR')).answers, [`${reverse} PTR ${name}`])

    const groups = network.ip
      .replace('::/64', '')
      .split(':')
      .map((group: string) => group.padStart(4, '0'))
    const full = [...groups, ...Array.from({ length: 8 - groups.length }, () => '0000')]
    full[7] = '00ab'
    const six = `${full.join('-')}.hosts.wolke.example`
    const reverse6 = `${full.join('').split('').reverse().join('.')}.ip6.arpa`
    assert.deepEqual((await ask(place, reverse6, 'PTR')).answers, [`${reverse6} PTR ${six}`])
    assert.equal((await ask(place, six, 'AAAA')).answers.length, 1)
    assert.deepEqual((await ask(place, six, 'A')).answers, [])
    expect(await world.api.delete(`/floating_ips/${network.id}`), 204)
    assert.equal((await ask(place, reverse6, 'PTR')).rcode, 'NXDOMAIN')
  })

  test('reverse zones have a SOA record whose serial grows, and our name servers', async () => {
    const world = await open()
    const place = await serveDns(world)
    const serial = async () => Number((await ask(place, '2.0.192.in-addr.arpa', 'SOA')).answers[0]!.split(' ')[4])
    const before = await serial()
    await world.api.post('/floating_ips', { type: 'ipv4', home_location: 'hel1' })
    assert.ok((await serial()) > before)
    assert.equal((await ask(place, '2.0.192.in-addr.arpa', 'NS')).answers.length, 3)
  })
})
