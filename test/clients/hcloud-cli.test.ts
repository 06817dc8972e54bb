/** The hcloud command line, unmodified, does its main job: servers, firewalls and more from creation to deletion. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { chain, selfSigned } from '../certificates.ts'
import { findHcloud, type Outcome, publicKey, run, type Service, serve, skipWithout } from './clients.ts'
import { drivesWhatIsSaid } from './driven.ts'

const program = findHcloud()

// biome-ignore lint/suspicious/noExplicitAny: the client prints replies of every shape
type Json = any

const web = { direction: 'in', protocol: 'tcp', port: '80', source_ips: ['0.0.0.0/0', '::/0'], destination_ips: [] }
const ssh = {
  direction: 'in',
  protocol: 'tcp',
  port: '22',
  source_ips: ['28.239.13.1/32', '28.239.14.0/24', 'ff21:1eac:9a3b:ee58:5ca:990c:8bc9:c03b/128'],
  destination_ips: [],
  description: 'ssh from the office',
}
const ping = { direction: 'in', protocol: 'icmp', source_ips: ['0.0.0.0/0', '::/0'], destination_ips: [] }
const https = {
  direction: 'out',
  protocol: 'tcp',
  port: '443',
  source_ips: [],
  destination_ips: ['0.0.0.0/0', '::/0'],
}

/** A rule as the server shows it. */
const shown = (rule: object) => ({ port: null, description: null, ...rule })

for (const database of ['memory', 'sqlite'] as const) {
  describe(`hcloud on ${database}`, () => {
    if (!program) {
      it('is driven by the client', (t) => skipWithout(t, 'hcloud is not installed'))
      return
    }
    let service: Service
    /** Whether error texts end in the correlation id, as those of version 1.44 and newer do. */
    let isRecent = false

    before(async () => {
      service = await serve(database)
      const { stdout } = await hcloud('version')
      const [, major = 0, minor = 0] = (/^hcloud v?(\d+)\.(\d+)/.exec(stdout) ?? []).map(Number)
      isRecent = major > 1 || minor >= 44
    })
    after(() => service.stop())

    const hcloud = (...args: string[]) =>
      run(program, ['--poll-interval', '5ms', ...args], { env: service.env, cwd: service.folder })

    async function works(...args: string[]): Promise<string> {
      const outcome = await hcloud(...args)
      assert.equal(outcome.code, 0, `hcloud ${args.join(' ')}\n${outcome.stderr}`)
      return outcome.stdout
    }

    const json = async (...args: string[]): Promise<Json> => JSON.parse(await works(...args, '-o', 'json'))
    const names = async (kind: string, ...args: string[]) =>
      ((await json(kind, 'list', ...args)) ?? []).map(({ name }: Json) => name)

    /** The error that the server answered with, as the client tells it. */
    function assertError(outcome: Outcome, code: string, message: string | RegExp): void {
      assert.equal(outcome.code, 1, outcome.stdout)
      const match = (isRecent ? /^hcloud: (.*) \((\w+), [0-9a-f]+\)$/m : /^hcloud: (.*) \((\w+)\)$/m).exec(
        outcome.stderr,
      )
      assert.ok(match, outcome.stderr)
      assert.equal(match[2], code)
      // Older versions say first what they were about.
      if (typeof message === 'string') assert.equal(isRecent ? match[1] : match[1]?.slice(-message.length), message)
      else assert.match(match[1] as string, message)
    }

    function file(name: string, content: string): string {
      const path = join(service.folder, name)
      writeFileSync(path, content)
      return path
    }
    const rulesFile = (...rules: object[]) => file('rules.json', JSON.stringify(rules))

    async function createKey(name: string): Promise<string> {
      const key = publicKey()
      await works('ssh-key', 'create', '--name', name, '--public-key', key)
      return key
    }

    const createServer = (name: string, ...args: string[]) =>
      works('server', 'create', '--name', name, '--type', 'cpx22', '--image', 'debian-12', ...args)

    const appliedTo = async (firewall: string): Promise<string[]> =>
      (await json('firewall', 'describe', firewall)).applied_to.map((entry: Json) =>
        entry.type === 'server' ? `server ${entry.server.id}` : `selector ${entry.label_selector.selector}`,
      )

    it('manages SSH keys', async () => {
      const path = file('key.pub', `${publicKey()}\n`)
      const created = await works('ssh-key', 'create', '--name', 'laptop', '--public-key-from-file', path)
      const key = await json('ssh-key', 'describe', 'laptop')
      assert.match(created, new RegExp(`^SSH key ${key.id} created$`, 'im'))
      assert.match(key.fingerprint, /^([0-9a-f]{2}:){15}[0-9a-f]{2}$/)
      assert.match(await works('ssh-key', 'list'), new RegExp(`${key.id} +laptop +${key.fingerprint}`))

      await works('ssh-key', 'add-label', 'laptop', 'team=core')
      await works('ssh-key', 'update', 'laptop', '--name', 'desktop')
      assert.deepEqual(await names('ssh-key', '-l', 'team=core'), ['desktop'])
      await works('ssh-key', 'remove-label', 'desktop', 'team')
      assert.deepEqual((await json('ssh-key', 'describe', String(key.id))).labels, {})

      const twice = await hcloud('ssh-key', 'create', '--name', 'other', '--public-key-from-file', path)
      assertError(twice, 'uniqueness_error', 'SSH key not unique: the public key is there already')
      await works('ssh-key', 'delete', 'desktop')
      assert.deepEqual(await names('ssh-key'), [])
    })

    it('manages uploaded certificates', async () => {
      const { certificate, private_key } = chain(2)
      const files = ['--cert-file', file('cert.pem', certificate), '--key-file', file('key.pem', private_key)]
      const created = await works('certificate', 'create', '--name', 'web', ...files)
      await works('certificate', 'add-label', 'web', 'env=test')
      const found = await json('certificate', 'describe', 'web')
      assert.match(created, new RegExp(`^Certificate ${found.id} created$`, 'm'))
      assert.equal(found.certificate, certificate)
      assert.match(found.fingerprint, /^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/)
      assert.deepEqual([found.type, found.domain_names, found.used_by], ['uploaded', ['www.example.com'], []])
      assert.match(
        await works('certificate', 'list'),
        new RegExp(`^${found.id} +web +uploaded +www\\.example\\.com `, 'm'),
      )
      const description = await works('certificate', 'describe', 'web')
      for (const text of ['uploaded', found.fingerprint, 'www.example.com', 'Certificate unused', 'env']) {
        assert.ok(description.includes(text), text)
      }

      await works('certificate', 'update', 'web', '--name', 'site')
      await works('certificate', 'add-label', 'site', 'stage=one')
      assert.deepEqual(await names('certificate', '-l', 'env=test,stage=one'), ['site'])
      await works('certificate', 'remove-label', 'site', 'env')
      assert.deepEqual((await json('certificate', 'describe', String(found.id))).labels, { stage: 'one' })

      const twice = await hcloud('certificate', 'create', '--name', 'site', ...files)
      assertError(twice, 'uniqueness_error', 'certificate name is already used')
      const otherKey = file('other.pem', selfSigned('other').private_key)
      const wrong = await hcloud('certificate', 'create', '--name', 'x', ...files.slice(0, 2), '--key-file', otherKey)
      assertError(wrong, 'invalid_input', "invalid input in field 'private_key'")
      // Version 1.30 has no such command.
      if (isRecent)
        assertError(await hcloud('certificate', 'retry', 'site'), 'unsupported_error', 'certificate not retryable')
      await works('certificate', 'delete', 'site')
      assert.deepEqual(await names('certificate'), [])
    })

    it('manages managed certificates', async () => {
      const { HCLOUD_ENDPOINT: endpoint, HCLOUD_TOKEN: token } = service.env
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const makeZone = (name: string) =>
        fetch(`${endpoint}/zones`, { method: 'POST', headers, body: JSON.stringify({ name, mode: 'primary' }) })
      assert.equal((await makeZone('managed.example')).status, 201)
      const managed = ['certificate', 'create', '--type', 'managed']
      await works(...managed, '--name', 'auto', '--domain', 'managed.example', '--domain', '*.managed.example')
      const found = await json('certificate', 'describe', 'auto')
      assert.deepEqual(found.domain_names, ['managed.example', '*.managed.example'])
      // Newer versions leave out what is null.
      const { issuance, renewal, error = null } = found.status
      assert.deepEqual([issuance, renewal, error], ['completed', 'unavailable', null])
      assert.match(found.fingerprint, /^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/)
      const description = await works('certificate', 'describe', 'auto')
      for (const text of ['managed', 'completed', 'unavailable', 'Certificate unused'])
        assert.ok(description.includes(text), text)

      const refused = await hcloud(...managed, '--name', 'late', '--domain', 'late.example')
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /dns_zone_not_found/)
      assert.equal((await makeZone('late.example')).status, 201)
      if (isRecent) {
        await works('certificate', 'retry', 'late')
        assert.equal((await json('certificate', 'describe', 'late')).status.issuance, 'completed')
        assertError(await hcloud('certificate', 'retry', 'late'), 'unsupported_error', 'certificate not retryable')
      }
      for (const name of ['auto', 'late']) await works('certificate', 'delete', name)
      assert.deepEqual(await names('certificate'), [])
    })

    it('manages zones and their records, where it knows them', async () => {
      if (!isRecent) {
        assert.doesNotMatch(await works('--help'), /^ +zone\b/m)
        return
      }
      const zone = 'zones.example'
      await works('zone', 'create', '--name', zone)
      await works('zone', 'enable-protection', zone, 'delete')
      await works('zone', 'change-ttl', zone, '--ttl', '600')
      await works('zone', 'add-records', zone, 'www', 'A', '--record', '198.51.100.1', '--record', '198.51.100.2')
      const file = join(service.folder, 'zone')
      writeFileSync(file, `${await works('zone', 'export-zonefile', zone)}foobar\tIN\tA\t192.0.2.2\n`)
      await works('zone', 'import-zonefile', zone, '--zonefile', file)
      await works('zone', 'rrset', 'change-ttl', zone, 'foobar', 'A', '--ttl', '1337')
      await works('zone', 'rrset', 'enable-protection', zone, 'foobar', 'A', 'change')
      await works('zone', 'rrset', 'add-label', zone, 'foobar', 'A', 'k=v')
      const { ttl, labels, records } = await json('zone', 'rrset', 'describe', zone, 'foobar', 'A')
      assert.deepEqual([ttl, labels, records[0].value], [1337, { k: 'v' }, '192.0.2.2'])
      const kept = await hcloud('zone', 'rrset', 'delete', zone, 'foobar', 'A')
      assertError(kept, 'protected', 'RRSet(s) is/are change protected')
      await works('zone', 'rrset', 'disable-protection', zone, 'foobar', 'A', 'change')
      await works('zone', 'rrset', 'set-records', zone, 'foobar', 'A', '--record', '192.0.2.1')
      await works('zone', 'rrset', 'delete', zone, 'foobar', 'A')
      const sets = await json('zone', 'rrset', 'list', zone)
      assert.deepEqual(
        sets.map(({ id }: Json) => id),
        ['@/NS', '@/SOA', 'www/A'],
      )
      assert.equal((await hcloud('zone', 'delete', zone)).code, 1)
      await works('zone', 'disable-protection', zone, 'delete')
      await works('zone', 'delete', zone)
    })

    it('creates a server with SSH key, firewall and labels', async () => {
      await createKey('laptop')
      await works('firewall', 'create', '--name', 'web', '--rules-file', rulesFile(web))
      const made = await createServer('one', '--ssh-key', 'laptop', '--firewall', 'web', '--label', 'tier=front')
      const server = await json('server', 'describe', 'one')
      const { ipv4, ipv6, firewalls } = server.public_net
      assert.match(made, new RegExp(`^Server ${server.id} created$`, 'm'))
      assert.match(made, new RegExp(`^IPv4: ${ipv4.ip}$`, 'm'))
      assert.doesNotMatch(made, /password/i)
      assert.equal(server.status, 'running')
      assert.deepEqual(server.labels, { tier: 'front' })
      const firewall = await json('firewall', 'describe', 'web')
      assert.deepEqual(firewalls, [{ id: firewall.id, status: 'applied' }])
      assert.deepEqual(await appliedTo('web'), [`server ${server.id}`])

      const line = (await works('server', 'list')).split('\n')[1]
      assert.match(line as string, new RegExp(`^${server.id} +one +running +${ipv4.ip} +${ipv6.ip} `))
      const description = await works('server', 'describe', 'one')
      for (const text of ['running', 'cpx22', ipv4.ip, ipv6.ip, 'debian-12', 'tier']) {
        assert.ok(description.includes(text), text)
      }
      assert.deepEqual(await names('server', '-l', 'tier in (front, back)'), ['one'])
      assert.deepEqual(await names('server', '-l', 'tier!=front'), [])

      const refused = await hcloud('firewall', 'delete', 'web')
      assertError(refused, 'resource_in_use', `firewall with ID ${firewall.id} is still in use`)
      const again = await hcloud('server', 'create', '--name', 'one', '--type', 'cpx22', '--image', 'debian-12')
      assertError(again, 'uniqueness_error', /already used/)

      await works('server', 'delete', 'one')
      assert.deepEqual(await appliedTo('web'), [])
      await works('firewall', 'delete', 'web')
      await works('ssh-key', 'delete', 'laptop')
    })

    it('changes the rules of a firewall', async () => {
      const rules = async () => (await json('firewall', 'describe', 'rules')).rules
      const created = await works('firewall', 'create', '--name', 'rules', '--rules-file', rulesFile(ssh, ping))
      assert.match(created, /^Firewall \d+ created$/m)
      assert.deepEqual(await rules(), [shown(ssh), shown(ping)])

      const dns = ['--direction', 'out', '--protocol', 'udp', '--port', '53', '--destination-ips', '10.0.0.0/8']
      await works('firewall', 'add-rule', 'rules', ...dns, '--destination-ips', '2001:db8::/32', '--description', 'dns')
      const added = (await rules())[2]
      assert.deepEqual(added.destination_ips, ['10.0.0.0/8', '2001:db8::/32'])
      assert.equal(added.description, 'dns')

      await works('firewall', 'replace-rules', 'rules', '--rules-file', rulesFile(ping, ssh, https))
      assert.deepEqual(await rules(), [shown(ping), shown(ssh), shown(https)])
      const description = (await works('firewall', 'describe', 'rules')).replaceAll(/\s+/g, ' ')
      assert.match(description, /Direction: in Protocol: icmp Source IPs: 0\.0\.0\.0\/0 ::\/0 - Direction: in/)
      assert.match(
        description,
        /Description: ssh from the office Protocol: tcp Port: 22 Source IPs: 28\.239\.13\.1\/32 /,
      )
      assert.match(description, /Direction: out Protocol: tcp Port: 443 Destination IPs: 0\.0\.0\.0\/0 ::\/0/)

      const everybody = ['--source-ips', '0.0.0.0/0', '--source-ips', '::/0']
      await works('firewall', 'delete-rule', 'rules', '--direction', 'in', '--protocol', 'icmp', ...everybody)
      assert.deepEqual(await rules(), [shown(ssh), shown(https)])
      await works('firewall', 'replace-rules', 'rules', '--rules-file', rulesFile())
      assert.deepEqual(await rules(), [])

      const bad = await hcloud(
        'firewall',
        'replace-rules',
        'rules',
        '--rules-file',
        rulesFile({ ...web, port: '70000' }),
      )
      assertError(bad, 'invalid_input', "invalid input in field 'rules'")
      await works('firewall', 'delete', 'rules')
    })

    it('creates a firewall with labels and rules that go out', async () => {
      // Version 1.30 loses destination_ips on the way, so that no server could take such a rule from it.
      const rules = isRecent ? [https, web] : [web]
      await works('firewall', 'create', '--name', 'out', '--label', 'a=b', '--rules-file', rulesFile(...rules))
      const firewall = await json('firewall', 'describe', 'out')
      assert.deepEqual(firewall.rules, rules.map(shown))
      assert.deepEqual(firewall.labels, { a: 'b' })
      await works('firewall', 'delete', 'out')
    })

    it('applies a firewall to servers and label selectors, and removes it', async () => {
      await works('firewall', 'create', '--name', 'shield', '--rules-file', rulesFile(web))
      await createServer('direct')
      await createServer('labelled', '--label', 'foo=bar')
      const direct = await json('server', 'describe', 'direct')
      const labelled = await json('server', 'describe', 'labelled')
      const firewallsOf = async (name: string) =>
        (await json('server', 'describe', name)).public_net.firewalls.map(({ status }: Json) => status)
      const bySelector = ['--type', 'label_selector', '--label-selector', 'foo=bar']
      const byServer = ['--type', 'server', '--server', 'direct']

      await works('firewall', 'apply-to-resource', 'shield', ...byServer)
      await works('firewall', 'apply-to-resource', 'shield', ...bySelector)
      assert.deepEqual(await appliedTo('shield'), [`server ${direct.id}`, 'selector foo=bar'])
      const { applied_to: targets } = await json('firewall', 'describe', 'shield')
      assert.deepEqual(targets[1].applied_to_resources, [{ type: 'server', server: { id: labelled.id } }])
      assert.deepEqual([await firewallsOf('direct'), await firewallsOf('labelled')], [['applied'], ['applied']])
      assert.match(await works('firewall', 'list'), /shield +1 Rule +1 Server \| 1 Label Selector/)
      assert.match(await works('firewall', 'describe', 'shield'), /Server Name:\s+direct/)

      const twice = await hcloud('firewall', 'apply-to-resource', 'shield', ...byServer)
      assertError(twice, 'firewall_already_applied', /./)
      const managed = ['--type', 'server', '--server', 'labelled']
      const refused = await hcloud('firewall', 'remove-from-resource', 'shield', ...managed)
      assertError(refused, 'firewall_managed_by_label_selector', /./)

      await works('server', 'remove-label', 'labelled', 'foo')
      assert.deepEqual(await firewallsOf('labelled'), [])
      await works('server', 'add-label', 'labelled', 'foo=bar')
      assert.deepEqual(await firewallsOf('labelled'), ['applied'])

      await works('firewall', 'remove-from-resource', 'shield', ...byServer)
      await works('firewall', 'remove-from-resource', 'shield', ...bySelector)
      assert.deepEqual(await appliedTo('shield'), [])
      assert.deepEqual([await firewallsOf('direct'), await firewallsOf('labelled')], [[], []])
      await works('firewall', 'delete', 'shield')
      await works('server', 'delete', 'direct')
      await works('server', 'delete', 'labelled')
    })

    it('renames and labels servers and firewalls', async () => {
      await createServer('before')
      await works('firewall', 'create', '--name', 'before')
      for (const kind of ['server', 'firewall']) {
        await works(kind, 'update', 'before', '--name', 'behind')
        await works(kind, 'add-label', 'behind', 'stage=test')
        const twice = await hcloud(kind, 'add-label', 'behind', 'stage=live')
        assert.equal(twice.code, 1, twice.stdout)
        await works(kind, 'add-label', '--overwrite', 'behind', 'stage=live')
        assert.deepEqual((await json(kind, 'describe', 'behind')).labels, { stage: 'live' })
        assert.deepEqual(await names(kind, '-l', 'stage'), ['behind'])
        await works(kind, 'remove-label', 'behind', 'stage')
        assert.deepEqual((await json(kind, 'describe', 'behind')).labels, {})
        await works(kind, 'delete', 'behind')
      }
    })

    it('powers a server off and on and protects it', async () => {
      await createServer('power')
      const status = async () => (await json('server', 'describe', 'power')).status
      await works('server', 'poweroff', 'power')
      assert.equal(await status(), 'off')
      await works('server', 'poweron', 'power')
      assert.equal(await status(), 'running')
      await works('server', 'reset', 'power')
      await works('server', 'reboot', 'power')
      assert.equal(await status(), 'running')
      await works('server', 'shutdown', 'power')
      assert.equal(await status(), 'off')

      await works('server', 'enable-protection', 'power', 'delete', 'rebuild')
      assert.deepEqual((await json('server', 'describe', 'power')).protection, { delete: true, rebuild: true })
      assertError(await hcloud('server', 'delete', 'power'), 'protected', /protected/)
      await works('server', 'disable-protection', 'power', 'delete', 'rebuild')
      assert.deepEqual((await json('server', 'describe', 'power')).protection, { delete: false, rebuild: false })
      await works('server', 'delete', 'power')
    })

    it('shows locations, server types and images', async () => {
      assert.match(await works('location', 'list'), /^3 +hel1 +Helsinki DC Park 1 +eu-central +FI +Helsinki$/m)
      assert.equal((await json('location', 'describe', 'fsn1')).network_zone, 'eu-central')
      assert.match(await works('server-type', 'list'), /^109 +cpx22 +2 +shared /m)
      const { cores, memory, architecture } = await json('server-type', 'describe', 'cpx22')
      assert.deepEqual({ cores, memory }, { cores: 2, memory: 4 })
      if (isRecent) assert.equal(architecture, 'x86')
      assert.match(await works('image', 'list'), /^114690387 +system +debian-12 /m)
      assert.equal((await json('image', 'describe', 'debian-12')).os_flavor, 'debian')
    })

    it('moves a Floating IP between servers, names it, protects it and deletes it', async () => {
      await createServer('one')
      await createServer('two')
      const created = await works(
        ...['floating-ip', 'create', '--type', 'ipv4', '--home-location', 'hel1', '--name', 'service'],
        ...['--description', 'for everybody', '--label', 'role=vip'],
      )
      const show = () => json('floating-ip', 'describe', 'service')
      const made = await show()
      assert.match(created, new RegExp(`^Floating IP ${made.id} created$`, 'm'))
      assert.deepEqual(
        [made.server, made.description, made.home_location.name, made.labels],
        [null, 'for everybody', 'hel1', { role: 'vip' }],
      )
      for (const name of ['one', 'two']) {
        await works('floating-ip', 'assign', 'service', name)
        const server = await json('server', 'describe', name)
        assert.equal((await show()).server, server.id)
        assert.deepEqual(server.public_net.floating_ips, [made.id])
      }
      assert.deepEqual((await json('server', 'describe', 'one')).public_net.floating_ips, [])
      assertError(await hcloud('floating-ip', 'delete', 'service'), 'must_be_unassigned', /unassigned/)
      await works('floating-ip', 'unassign', 'service')
      assert.equal((await show()).server, null)

      await works('floating-ip', 'set-rdns', 'service', '--hostname', 'www.example.com')
      assert.deepEqual((await show()).dns_ptr, [{ ip: made.ip, dns_ptr: 'www.example.com' }])
      await works('floating-ip', 'add-label', 'service', 'stage=test')
      await works('floating-ip', 'remove-label', 'service', 'role')
      assert.deepEqual(await names('floating-ip', '-l', 'stage=test,!role'), ['service'])
      await works('floating-ip', 'update', 'service', '--description', 'changed')
      assert.equal((await show()).description, 'changed')
      const line = (await works('floating-ip', 'list')).split('\n')[1]
      assert.match(line as string, new RegExp(`^${made.id} +ipv4 +service +changed +${made.ip} `))

      await works('floating-ip', 'enable-protection', 'service', 'delete')
      const kept = await hcloud('floating-ip', 'delete', 'service')
      assertError(kept, 'protected', 'Floating IP deletion is protected')
      await works('floating-ip', 'disable-protection', 'service', 'delete')
      await works('floating-ip', 'delete', 'service')
      for (const name of ['one', 'two']) await works('server', 'delete', name)
    })

    it('attaches a volume to one server after another, makes it larger, protects it and deletes it', async () => {
      await createServer('one')
      await works('volume', 'create', '--name', 'spare', '--size', '10', '--location', 'hel1', '--label', 'role=data')
      await works('volume', 'delete', 'spare')
      const where = ['--server', 'one', '--automount', '--format', 'ext4']
      const created = await works('volume', 'create', '--name', 'data', '--size', '10', ...where)
      const show = () => json('volume', 'describe', 'data')
      const made = await show()
      assert.match(created, new RegExp(`^Volume ${made.id} created$`, 'm'))
      const { id: one, location } = await json('server', 'describe', 'one')
      assert.deepEqual([made.server, made.format, made.size, made.location.name], [one, 'ext4', 10, location.name])
      assert.deepEqual((await json('server', 'describe', 'one')).volumes, [made.id])
      assertError(await hcloud('volume', 'delete', 'data'), 'service_error', /still attached/)
      await works('volume', 'resize', 'data', '--size', '25')
      assertError(await hcloud('volume', 'resize', 'data', '--size', '20'), 'invalid_input', /'size'/)
      await works('volume', 'detach', 'data')
      assert.deepEqual([(await show()).server, (await show()).size], [null, 25])

      await createServer('two', '--location', location.name, '--volume', 'data', '--automount')
      const two = (await json('server', 'describe', 'two')).id
      assert.equal((await show()).server, two)
      await works('server', 'delete', 'two')
      await works('volume', 'attach', 'data', '--server', 'one')
      assertError(await hcloud('volume', 'attach', 'data', '--server', 'one'), 'volume_already_attached', /already/)
      await works('volume', 'detach', 'data')

      await works('volume', 'add-label', 'data', 'stage=test')
      await works('volume', 'update', 'data', '--name', 'base')
      assert.deepEqual(await names('volume', '-l', 'stage=test'), ['base'])
      await works('volume', 'enable-protection', 'base', 'delete')
      assertError(await hcloud('volume', 'delete', 'base'), 'protected', 'volume deletion is protected')
      await works('volume', 'disable-protection', 'base', 'delete')
      await works('volume', 'delete', 'base')
      await works('server', 'delete', 'one')
    })

    it('has a network of IPv6 addresses lead to a server, each with a name of its own', async () => {
      await createServer('one')
      await works('floating-ip', 'create', '--type', 'ipv6', '--server', 'one', '--name', 'net')
      const { ip, server } = await json('floating-ip', 'describe', 'net')
      assert.equal(server, (await json('server', 'describe', 'one')).id)
      const address = ip.replace('/64', '7')
      await works('floating-ip', 'set-rdns', 'net', '--ip', address, '--hostname', 'seven.example.com')
      const reversed = { ip: address, dns_ptr: 'seven.example.com' }
      assert.deepEqual((await json('floating-ip', 'describe', 'net')).dns_ptr, [reversed])
      await works('server', 'delete', 'one')
      assert.equal((await json('floating-ip', 'describe', 'net')).server, null)
      await works('floating-ip', 'delete', 'net')
    })

    it('finds the images of the installation', async () => {
      const listed = await json('image', 'list', '--type', 'system')
      const named = listed.filter(({ name }: Json) => name === 'debian-12')
      assert.equal(named.length, 2, 'one of each architecture')
      const described = await json('image', 'describe', String(named[0].id))
      assert.deepEqual([described.id, described.os_flavor, described.type], [named[0].id, 'debian', 'system'])
    })

    it('makes snapshots and backups of a server and a server from a snapshot', async () => {
      await createServer('one')
      const images = async (type: string, ...args: string[]) =>
        ((await json('image', 'list', '--type', type, ...args)) ?? []).map(({ id }: Json) => id)
      const copy = async (type: string, ...args: string[]) => {
        await works('server', 'create-image', '--type', type, ...args, 'one')
        return (await images(type)).at(-1)
      }
      const snapshot = String(await copy('snapshot', '--description', 'before', '--label', 'kept=yes'))
      const show = () => json('image', 'describe', snapshot)
      const { status, description, labels, created_from: from } = await show()
      assert.deepEqual([status, description, labels, from.name], ['available', 'before', { kept: 'yes' }, 'one'])
      await works('image', 'update', snapshot, '--description', 'after')
      await works('image', 'add-label', snapshot, 'age=old')
      await works('image', 'remove-label', snapshot, 'kept')
      assert.deepEqual([(await show()).description, (await show()).labels], ['after', { age: 'old' }])
      assert.deepEqual(await images('snapshot', '-l', 'age=old'), [Number(snapshot)])
      await works('image', 'enable-protection', snapshot, 'delete')
      assertError(await hcloud('image', 'delete', snapshot), 'protected', 'snapshot deletion is protected')
      await works('image', 'disable-protection', snapshot, 'delete')
      await works('server', 'create', '--name', 'twin', '--type', 'cpx22', '--image', snapshot)
      assert.equal((await json('server', 'describe', 'twin')).image.id, Number(snapshot))

      await works('server', 'enable-backup', 'one')
      assert.match((await json('server', 'describe', 'one')).backup_window, /^\d\d-\d\d$/)
      const [kept, dropped] = [await copy('backup'), await copy('backup')]
      await works('image', 'update', String(kept), '--type', 'snapshot')
      assert.deepEqual(await images('backup'), [dropped])
      await works('server', 'rebuild', 'one', '--image', 'debian-13')
      assert.equal((await json('server', 'describe', 'one')).image.name, 'debian-13')
      await works('server', 'disable-backup', 'one')
      assert.deepEqual(await images('backup'), [])
      for (const name of ['one', 'twin']) await works('server', 'delete', name)
      for (const id of [snapshot, String(kept)]) await works('image', 'delete', id)
      assert.deepEqual(await images('snapshot'), [])
    })

    it('tells what is wrong', async () => {
      const stranger = { ...service.env, HCLOUD_TOKEN: 'x'.repeat(64) }
      assertError(await run(program, ['server', 'list'], { env: stranger }), 'unauthorized', /token/)
      const kinds = {
        server: 'server',
        firewall: 'firewall',
        'floating-ip': 'Floating IP',
        'ssh-key': 'SSH key',
        location: 'location',
      }
      for (const [kind, title] of Object.entries(kinds)) {
        const outcome = await hcloud(kind, 'describe', 'nowhere')
        assert.equal(outcome.code, 1)
        assert.match(outcome.stderr, new RegExp(`^hcloud: ${title} not found: nowhere$`, 'im'))
      }
      const outcome = await hcloud('server', 'create', '--name', 'x', '--type', 'cpx22', '--image', 'nowhere')
      assert.equal(outcome.code, 1)
      assert.match(outcome.stderr, /image .*nowhere.* not found|image not found: nowhere/i)
      const elsewhere = ['--name', 'x', '--type', 'cpx22', '--image', 'debian-12', '--location', 'ash']
      const available = /^unsupported location for server type: cpx22 is available in fsn1, /
      assertError(await hcloud('server', 'create', ...elsewhere), 'invalid_input', available)
      const badName = await hcloud(
        'server',
        'create',
        '--name',
        'not_a_host',
        '--type',
        'cpx22',
        '--image',
        'debian-12',
      )
      assertError(badName, 'invalid_input', "invalid input in field 'name'")
    })

    it('leaves nothing behind', async () => {
      for (const kind of ['server', 'firewall', 'ssh-key', 'floating-ip']) assert.deepEqual(await names(kind), [], kind)
    })
  })
}

drivesWhatIsSaid(import.meta.filename)
