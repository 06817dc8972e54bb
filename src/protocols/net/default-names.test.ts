import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { DefaultNames, formProblem, usualForm } from './default-names.ts'

const domain = 'wolke.example'
const namesOf = (ipv4: string, ipv6?: string) => new DefaultNames({ domain, ipv4, ipv6 })

/** The labels of a name before a zone. */
const before = (name: string, zone: string) => name.slice(0, -zone.length - 1).split('.')

describe('The form of default names', () => {
  test('spells an address in the way that its placeholder says', () => {
    const examples = [
      [usualForm, '192.0.2.7', 'static.7.2.0.192.clients.wolke.example'],
      ['{ipv4}.ip.{domain}', '192.0.2.7', '192.0.2.7.ip.wolke.example'],
      ['v4-{ipv4-dashed}-x.a.b.{domain}', '192.0.2.7', 'v4-192-0-2-7-x.a.b.wolke.example'],
      ['{ipv6-dashed}.six.{domain}', '2001:db8::1', '2001-0db8-0000-0000-0000-0000-0000-0001.six.wolke.example'],
      ['{ipv6-dashed}.six.{domain}', '::', '0000-0000-0000-0000-0000-0000-0000-0000.six.wolke.example'],
      ['{ipv6-reversed}.six.{domain}', '2001:db8::1', `1.0.0.0.${'0.'.repeat(20)}8.b.d.0.1.0.0.2.six.wolke.example`],
    ] as const
    for (const [form, address, name] of examples) {
      const names = address.includes(':') ? namesOf(usualForm, form) : namesOf(form)
      assert.equal(names.nameOf(address), name)
    }
    assert.equal(namesOf(usualForm).nameOf('2001:db8::1'), undefined)
  })

  test('leads back from every name to its address, and from nothing else', () => {
    const forms4 = [
      usualForm,
      '{ipv4}.clients.{domain}',
      'a{ipv4-dashed}b.clients.{domain}',
      'n-{ipv4-reversed}.x.y.{domain}',
    ]
    const forms6 = ['{ipv6-dashed}.clients.{domain}', 'six.{ipv6-reversed}.x.{domain}']
    const addresses = fc.oneof(
      fc.ipV4(),
      fc.ipV6().filter((text) => !text.includes('.')),
    )
    fc.assert(
      fc.property(fc.constantFrom(...forms4), fc.constantFrom(...forms6), addresses, (ipv4, ipv6, address) => {
        const names = namesOf(ipv4, ipv6)
        const name = names.nameOf(address)!
        const zone = names.zones.find((one) => name.endsWith(`.${one}`))!
        const labels = before(name, zone)
        const canonical = new URL(`http://${address.includes(':') ? `[${address}]` : address}/`).hostname.replace(
          /[[\]]/g,
          '',
        )
        assert.equal(names.addressOf(labels, zone), canonical)
        for (let from = 1; from < labels.length; from++) assert.equal(names.addressOf(labels.slice(from), zone), null)
        assert.equal(names.addressOf(['x', ...labels], zone), undefined)
        assert.equal(names.addressOf([...labels.slice(0, -1), 'nothing'], zone), undefined)
      }),
    )
    const usual = namesOf(usualForm)
    for (const name of ['static.256.0.0.1', 'static.1.2.3.04', 'dynamic.1.2.3.4']) {
      assert.equal(usual.addressOf(name.split('.'), 'clients.wolke.example'), undefined)
    }
  })

  test('is refused when it names no address, several, or hides the domain', () => {
    const refused = [
      ['static.clients.{domain}', /^needs one of \{ipv4-reversed\}, \{ipv4\}, \{ipv4-dashed\}, once$/],
      ['{ipv4}.{ipv4-dashed}.clients.{domain}', /once$/],
      ['{ipv6-dashed}.clients.{domain}', /^\{ipv6-dashed\} is unknown: use one of /],
      ['{address}.clients.{domain}', /^\{address\} is unknown/],
      ['{ipv4-dashed}.{domain}', /must end with a domain of its own below \{domain\}/],
      ['{ipv4}.clients.example.com', /must end with/],
      ['clients.{domain}.{ipv4}', /must end with/],
      ['Static.{ipv4}.clients.{domain}', /host name in lower case/],
      ['a_b.{ipv4}.clients.{domain}', /host name/],
      ['-{ipv4}.clients.{domain}', /host name/],
      [`${'x'.repeat(110)}.{ipv4}.clients.{domain}`, /host name/],
    ] as const
    for (const [form, problem] of refused) assert.match(formProblem(form, 'ipv4') ?? 'none', problem, form)
    assert.equal(formProblem(usualForm, 'ipv4'), undefined)
    assert.equal(formProblem('{ipv6-reversed}.clients.{domain}', 'ipv6'), undefined)
    assert.equal(
      formProblem(`x${'{ipv6-dashed}'}${'y'.repeat(30)}.clients.{domain}`, 'ipv6'),
      'must become a host name in lower case',
    )
  })
})
