/** The package for Debian on a clean Debian 12: its installation, its service with hcloud, upgrade, removal and purge. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { build } from '../run/built.ts'
import { alone } from './kit/container.ts'
import {
  cleanMachine,
  hcloudProgram,
  type Machine,
  makePackage,
  serving,
  settings,
  whileServing,
} from './kit/machine.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'wolke-debian-'))
after(() => rmSync(folder, { recursive: true }))

const socketUnit = readFileSync(join(root, 'scripts/packages/debian/wolke.socket'), 'utf8')
const unit = readFileSync(join(root, 'scripts/packages/debian/wolke.service'), 'utf8')
let first: string
let second: string
let machine: Machine

before(async () => {
  await build()
  first = makePackage(folder, '0.1.0-1')
  second = makePackage(folder, '0.1.1-1')
  machine = await cleanMachine(join(folder, 'machine'))
  machine.give(first, 'root/first.deb')
  machine.give(second, 'root/second.deb')
  machine.give(hcloudProgram, 'usr/local/bin/hcloud')
})

/** Makes the same package with a small program in the place of Node.js, of which lintian would read every byte. */
const withoutNode = `
dpkg-deb --raw-extract "$1" "$2"
cp /bin/true "$2/usr/lib/wolke/node"
(cd "$2" && find etc usr -type f | sort | xargs md5sum >DEBIAN/md5sums)
dpkg-deb --root-owner-group --build "$2" "$3" >/dev/null`

const hcloud = 'export HCLOUD_ENDPOINT=http://127.0.0.1:8080/v1 HETZNER_ENDPOINT=http://127.0.0.1:8080/storage/v1'
const withToken = `${hcloud} HCLOUD_TOKEN=$(wolke token create --project default --name test)`

describe('The package for Debian', () => {
  test('is the same whenever it is made of the same', () => {
    const again = mkdtempSync(join(folder, 'again-'))
    const bytes = readFileSync(makePackage(again, '0.1.0-1'))
    assert.ok(bytes.equals(readFileSync(first)))
  })

  test('has nothing that lintian finds', () => {
    const light = join(folder, 'light.deb')
    execFileSync('sh', ['-euc', withoutNode, 'sh', first, join(folder, 'light'), light])
    const env = { ...process.env, TMPDIR: folder }
    assert.equal(execFileSync('lintian', ['--allow-root', light], { encoding: 'utf8', env }), '')
  })

  test('has units that systemd understands', () => {
    // The program is not on this machine.
    const copy = join(folder, 'wolke.service')
    writeFileSync(copy, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'))
    const others = ['wolke.socket', 'wolke-backup.service', 'wolke-backup.timer'].map((name) => {
      const text = readFileSync(join(root, 'scripts/packages/debian', name), 'utf8')
      writeFileSync(join(folder, name), text.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'))
      return join(folder, name)
    })
    const verify = ['verify', '--man=no', copy, ...others]
    const { status, stdout, stderr } = spawnSync('systemd-analyze', verify, { encoding: 'utf8' })
    assert.deepEqual([status, stdout, stderr], [0, '', ''])
  })

  test('confines its service', () => {
    const file = join(root, 'scripts/packages/debian/wolke.service')
    const judged = execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', file], {
      encoding: 'utf8',
      env: { ...process.env, SYSTEMD_COLORS: '0' },
    })
    const [, exposure = ''] = /Overall exposure level for wolke\.service: ([\d.]+)/.exec(judged)!
    assert.ok(Number(exposure) <= 2, exposure)
    assert.deepEqual(settings(unit, 'StandardOutput'), ['null'], 'a first token does not get into the journal')
  })

  test('is installed by dpkg, makes its user and folder, and says what it has', async () => {
    await machine.must('dpkg -i /root/first.deb')
    assert.match(
      await machine.must('getent passwd wolke'),
      /^wolke:x:\d+:\d+:Wolke,*:\/var\/lib\/wolke:\/usr\/sbin\/nologin\n$/,
    )
    assert.equal(await machine.must('stat -c "%U:%G %a" /var/lib/wolke'), 'wolke:wolke 700\n')
    assert.equal(await machine.must('stat -c "%U:%G %a" /etc/default/wolke'), 'root:root 640\n')
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    assert.match(await machine.must('wolke --version'), new RegExp(`^wolke ${version.replaceAll('.', '\\.')} `))
    assert.equal(await machine.must('wolke config check'), '/etc/wolke/wolke.yaml: no mistakes\n')
    assert.equal(await machine.must('dpkg --audit; dpkg --verify wolke'), '')
    const wanted = await machine.must('cd /etc/systemd/system && ls *.wants')
    assert.match(wanted, /^wolke\.service$/m)
    assert.doesNotMatch(wanted, /wolke\.socket|wolke-backup/)
  })

  test('has a socket by which the program answers, whatever address its options name', async () => {
    const [address, name] = ['ListenStream', 'FileDescriptorName'].map((one) => settings(socketUnit, one)[0])
    const log = join(folder, 'activated')
    const serve = `chroot ${machine.root} wolke serve --database memory --listen 127.0.0.1:1 --dns-listen off`
    const ask = `fetch('http://${address}/health').then(async (answer) => console.log(answer.status, await answer.json()))`
    const { code, stdout, stderr } = await alone(`
mount -t proc proc ${machine.root}/proc
${serving(
  `exec systemd-socket-activate --listen=${address} --fdname=${name} ${serve} >${log} 2>&1`,
  log,
  `${process.execPath} -e "${ask}"`,
)}`)
    assert.equal(code, 0, `${stdout}${stderr}${readFileSync(log, 'utf8')}`)
    assert.match(stdout, /^200 \{\n {2}status: 'ok',/)
  })

  test('serves hcloud as its user, and its data outlives upgrade, removal and purge', async () => {
    const made = await machine.must(
      whileServing(
        machine,
        `${withToken}
hcloud firewall create --name web
hcloud server create --name one --type cpx22 --image debian-12 --location hel1 --start-after-create=false >/dev/null
hcloud firewall list -o noheader -o columns=name
hcloud server list -o noheader -o columns=name
stat -c %U /proc/$pid
grep -c wlm_ /tmp/log || true`,
      ),
    )
    assert.match(made, /^Firewall \d+ created\nweb\none\nwolke\n0\n$/)
    const owners = 'find /var/lib/wolke ! -user wolke -o -perm /077 ! -type l'
    // A command of root meanwhile leaves nothing that the service could not write to.
    await machine.must('wolke project list >/dev/null')
    assert.equal(await machine.must(owners), '')

    await machine.must('echo "vendor: acme" >>/etc/wolke/wolke.yaml && dpkg -i /root/second.deb')
    assert.match(await machine.must('dpkg-query -W wolke'), /\t0\.1\.1-1$/m)
    const list = `${withToken}\nhcloud firewall list -o noheader -o columns=name`
    assert.equal(await machine.must(whileServing(machine, list)), 'web\n')
    assert.match(await machine.must('wolke config show'), /^vendor: acme {2}# file$/m)

    const before = await machine.must('find /usr /etc -name "*wolke*" | LC_ALL=C sort')
    assert.match(before, /\/etc\/wolke\n/)
    await machine.must('dpkg -r wolke')
    const kept = (await machine.must('find /usr /etc -name "*wolke*" | LC_ALL=C sort')).split('\n').slice(0, -1)
    const configuration = ['/etc/default/wolke', '/etc/wolke', '/etc/wolke/wolke.yaml']
    // Until it is purged, systemd knows whether its service was enabled, and starts nothing.
    const units = ['multi-user.target.wants/wolke.service', 'wolke-backup.timer', 'wolke.service', 'wolke.socket']
    const states = units.map((name) => `/etc/systemd/system/${name}`)
    assert.deepEqual(kept, [...configuration, ...states].sort())
    await machine.must('dpkg -i /root/second.deb')
    assert.equal(await machine.must(whileServing(machine, list)), 'web\n')

    assert.match(await machine.must('dpkg -P wolke'), /the data is left in \/var\/lib\/wolke\n$/)
    assert.equal(await machine.must('find /usr /etc -name "*wolke*"'), '')
    assert.match(await machine.must('ls /var/lib/wolke'), /^wolke\.db$/m)
  })

  test('refuses to serve with a mistake in its configuration, and says where it is', async () => {
    await machine.must('dpkg -i /root/first.deb && echo "frobnicate: 1" >>/etc/wolke/wolke.yaml')
    const { code, stderr } = await machine.run(whileServing(machine, 'echo never'))
    assert.notEqual(code, 0)
    assert.match(
      stderr,
      /^wolke: the configuration has mistakes:\n\/etc\/wolke\/wolke\.yaml:\d+:1: frobnicate: is not an option$/m,
    )
  })
})
