/** Commands by SSH: those that are done here, and programs of the system in a jail. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import ssh2 from 'ssh2'
import { accountFor, missing, openDoors } from './kit/doors.ts'
import { contentsOf, makeTree } from './kit/trees.ts'

async function boxOf(t: TestContext, change: object = {}) {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture, change))
  return { fixture, box, local: join(fixture.folder, 'clients'), remote: 'u1@127.0.0.1' }
}

for (const protocol of ['-s', '-O']) {
  test(`scp ${protocol} brings a tree and takes it back`, { skip: missing('scp') }, async (t) => {
    const { fixture, local, remote } = await boxOf(t)
    // The older protocol has no way to say that a name goes on in the next line.
    makeTree(join(local, 'tree'), { mayHave: (name) => protocol === '-s' || !name.includes('\n') })
    const options = [protocol, '-rp', '-P', `${fixture.sshPort}`, ...fixture.options()]
    const up = await fixture.run('scp', [...options, 'tree', `${remote}:up`])
    assert.equal(up.code, 0, up.stderr)
    const down = await fixture.run('scp', [...options, `${remote}:up`, 'back'])
    assert.equal(down.code, 0, down.stderr)
    assert.deepEqual(contentsOf(join(local, 'back')), contentsOf(join(local, 'tree')))
    const none = await fixture.run('scp', [...options, `${remote}:nothing`, 'back'])
    assert.equal(none.code, 1)
    assert.match(none.stderr, /No such file/)
  })
}

test('large folders are shown and sent in parts of which each is in order, and nothing is missing', {
  skip: missing('scp'),
}, async (t) => {
  const { fixture, box, local, remote } = await boxOf(t)
  const fill = (folder: string, count: number) => {
    const names = Array.from({ length: count }, (_, n) => `${(n * 7_919) % count}`)
    mkdirSync(join(box.files, folder))
    for (const name of names) writeFileSync(join(box.files, folder, name), '')
    return names.sort()
  }
  const [large, many] = [fill('large', 20_500), fill('many', 2_500)]
  const lines = async (command: string) => (await fixture.ssh('u1', command)).stdout.trimEnd().split('\n')
  assert.deepEqual(await lines('ls many'), many)
  assert.deepEqual(await lines('ls -r many'), many.toReversed())
  const listed = await lines('ls large')
  assert.deepEqual(listed.slice(0, 20_000), listed.slice(0, 20_000).sort())
  assert.deepEqual(listed.sort(), large)
  const tree = await lines('tree large')
  assert.deepEqual(
    tree.slice(1, -1).filter((line) => !line.startsWith('├── ')),
    [],
  )
  assert.match(tree.at(-1)!, /^└── \d+$/)
  assert.deepEqual(
    tree
      .slice(1)
      .map((line) => line.slice(4))
      .sort(),
    large,
  )
  const options = ['-O', '-r', '-P', `${fixture.sshPort}`, ...fixture.options()]
  const down = await fixture.run('scp', [...options, `${remote}:many`, 'back'])
  assert.equal(down.code, 0, down.stderr)
  assert.deepEqual(readdirSync(join(local, 'back')).sort(), many)
})

test('rsync brings a tree, changes and deletions', { skip: missing('rsync') }, async (t) => {
  const { fixture, box, local, remote } = await boxOf(t)
  makeTree(join(local, 'tree'))
  symlinkSync('../../secrets', join(local, 'tree/link'))
  const rsync = (...args: string[]) => fixture.run('rsync', ['-a', '--delete', '-e', fixture.shell, ...args])
  const up = await rsync('tree/', `${remote}:copies/of it/`)
  assert.equal(up.code, 11, 'the folder above is missing')
  assert.equal((await fixture.ssh('u1', 'mkdir -p copies')).code, 0)
  const second = await rsync('tree/', `${remote}:copies/tree/`)
  assert.equal(second.code, 0, second.stderr)
  rmSync(join(local, 'tree/file-3'))
  writeFileSync(join(local, 'tree/file-4'), 'changed')
  assert.equal((await rsync('-z', 'tree/', `${remote}:/copies/tree/`)).code, 0)
  assert.deepEqual(contentsOf(join(box.files, 'copies/tree')), contentsOf(join(local, 'tree')))
  assert.equal((await rsync(`${remote}:copies/tree/`, 'back/')).code, 0)
  assert.deepEqual(contentsOf(join(local, 'back')), contentsOf(join(local, 'tree')))
  for (const bad of ['--files-from=:/etc/passwd', '--log-file=/tmp/x', '-s']) {
    const args = bad === '--log-file=/tmp/x' ? ['--remote-option=--log-file=/tmp/x'] : [bad]
    assert.notEqual((await rsync(...args, `${remote}:copies/`, 'out/')).code, 0, bad)
  }
  const passwd = await fixture.ssh('u1', 'rsync --server --sender -logDtpre.iLsfxCIvu --exclude-from=/etc/passwd . /')
  assert.match(passwd.stderr, /not served/)
})

test('rsync of a readonly account writes nothing', { skip: missing('rsync') }, async (t) => {
  const { fixture, box, local, remote } = await boxOf(t, { isReadonly: true })
  writeFileSync(join(box.files, 'here'), 'as it was')
  mkdirSync(join(local, 'tree'))
  writeFileSync(join(local, 'tree/here'), 'changed')
  assert.notEqual((await fixture.run('rsync', ['-a', '-e', fixture.shell, 'tree/', `${remote}:`])).code, 0)
  assert.equal(readFileSync(join(box.files, 'here'), 'utf8'), 'as it was')
  assert.deepEqual(readdirSync(box.files), ['here'])
})

test('borg keeps archives in a box and reads them', { skip: missing('borg') }, async (t) => {
  const { fixture, box, local, remote } = await boxOf(t)
  makeTree(join(local, 'tree'), { count: 5 })
  // Programs load no module of Python that a customer has put in their place.
  for (const folder of ['usr/lib/python3/dist-packages', 'usr/lib/python3.11', '.']) {
    mkdirSync(join(box.files, folder), { recursive: true })
    for (const name of ['json', 'sitecustomize', 'codecs', 'stringprep']) {
      writeFileSync(join(box.files, folder, `${name}.py`), `open('/loaded-${name}', 'w')`)
    }
  }
  const env = { BORG_RSH: fixture.shell, BORG_PASSPHRASE: 'x', BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK: 'yes' }
  const borg = (...args: string[]) => fixture.run('borg', args, undefined, env)
  for (const path of ['./repo', 'absolute']) {
    const repo = `ssh://${remote}:${fixture.sshPort}/${path}`
    const made = await borg('init', '-e', 'repokey', repo)
    assert.equal(made.code, 0, made.stderr)
    const created = await borg('create', `${repo}::first`, 'tree')
    assert.equal(created.code, 0, created.stderr)
    assert.equal((await borg('create', `${repo}::second`, 'tree')).code, 0)
    const pruned = await borg('prune', '--keep-last', '1', '--list', repo)
    assert.match(pruned.stderr, /Pruning archive.* first /)
    assert.equal((await borg('compact', repo)).code, 0)
    assert.equal((await borg('list', '--short', repo)).stdout, 'second\n')
    assert.equal((await borg('check', '--verify-data', repo)).code, 0)
  }
  assert.ok(existsSync(join(box.files, 'repo/config')) && existsSync(join(box.files, 'absolute/config')))
  rmSync(join(local, 'tree'), { recursive: true })
  assert.equal((await borg('extract', `ssh://${remote}:${fixture.sshPort}/./repo::second`)).code, 0)
  assert.equal(readFileSync(join(local, 'tree/deep/plain'), 'utf8'), 'content of plain')
  assert.deepEqual(
    readdirSync(box.files).filter((name) => name.startsWith('loaded')),
    [],
  )
})

test('commands are those of a box, on the paths of SFTP', { skip: missing('ssh') }, async (t) => {
  const { fixture, box } = await boxOf(t)
  const content = Buffer.alloc(300_000, 'wolke')
  writeFileSync(join(box.files, "it's"), content)
  const run = async (command: string, input?: string) => {
    const { code, stdout, stderr } = await fixture.ssh('u1', command, input)
    assert.equal(code, 0, `${command}: ${stderr}`)
    return stdout
  }
  const digest = createHash('md5').update(content).digest('hex')
  assert.equal(await run("md5sum '/it'\\''s'"), `${digest}  /it's\n`)
  assert.equal(await run('md5sum', ''), 'd41d8cd98f00b204e9800998ecf8427e  -\n')
  assert.equal(await run(`cat "it's"`), content.toString())
  await run('mkdir -p a/b/c')
  await run('dd of=a/b/x', 'hello world')
  assert.equal(await run('dd if=a/b/x bs=1 skip=6 count=3 status=none'), 'wor')
  // What is beyond the count is not taken, and the client is told a status.
  assert.equal(await run('dd bs=4 skip=1 count=2 status=none', 'hello world, and more'), 'o world,')
  await run('cp -a a z')
  await run('mv z/b/x z/y')
  assert.equal(await run('ls z'), 'b\ny\n')
  assert.match(await run('ls -la z'), /^-rw-r--r-- 1 71001 71001 {9}11 \d{4}-\d\d-\d\d \d\d:\d\d y$/m)
  await run('touch -d @1000000000 z/y')
  assert.equal(await run("stat -c '%n %s %Y' z/y"), 'z/y 11 1000000000\n')
  assert.equal(await run('tree a'), 'a\n└── b\n    ├── c\n    └── x\n')
  assert.match(await run('du -sb a'), /^\d+\ta\n$/)
  assert.match(await run('df -h'), /Available/)
  await run('rm -rf z')
  assert.equal(existsSync(join(box.files, 'z')), false)
  await run('install-ssh-key', 'ssh-ed25519 AAAA me\n')
  assert.deepEqual(fixture.installed, [['u1', 'ssh-ed25519 AAAA me']])
})

test('what is no command of a box is refused in words', { skip: missing('ssh') }, async (t) => {
  const { fixture, box } = await boxOf(t)
  writeFileSync(join(box.files, 'f'), '')
  for (const command of [
    'bash',
    'ls; id',
    'ls $(id)',
    'ls | cat',
    'cat < f',
    '/bin/sh -c ls',
    'borg init x',
    'rsync a b',
    "ls 'a",
    'constructor',
  ]) {
    const { code, stderr } = await fixture.ssh('u1', command)
    assert.equal(code, 1, command)
    assert.match(stderr, /not served|no shell here|its own clients|quote is not closed|serve/, command)
  }
})

test('a key that is too long is refused in words', { skip: missing('ssh') }, async (t) => {
  const { fixture } = await boxOf(t)
  const { code, stderr } = await fixture.ssh('u1', 'install-ssh-key', 'x'.repeat(40_000))
  assert.deepEqual([code, stderr], [1, 'this is too long for a key\n'])
})

/** A client of this process, whose sessions let the server say so many bytes before it has to wait. */
async function clientOf(
  t: TestContext,
  { sshPort: port, folder }: { sshPort: number; folder: string },
  window: number,
) {
  const client = new ssh2.Client()
  t.after(() => client.destroy())
  client.connect({ host: '127.0.0.1', port, username: 'u1', privateKey: readFileSync(join(folder, 'clients', 'key')) })
  await once(client, 'ready')
  client.on('error', () => undefined)
  type Begin = (channel: number, window: number, packet: number) => void
  const { _protocol: protocol } = client as unknown as { readonly _protocol: { session: Begin } }
  const begin = protocol.session.bind(protocol)
  protocol.session = (channel, _, packet) => begin(channel, window, packet)
  return (command: string) =>
    new Promise<ssh2.ClientChannel>((resolve, reject) => {
      client.exec(command, (error, channel) => (error ? reject(error) : resolve(channel)))
    })
}

test('who closes a session while complaints wait for him stops nobody', { skip: missing('ssh') }, async (t) => {
  const { fixture } = await boxOf(t)
  const exec = await clientOf(t, fixture, 5)
  const channel = await exec('md5sum nothing - nothing')
  // The rest of the first complaint waits.
  assert.equal(`${(await once(channel.stderr, 'data'))[0]}`, 'md5su')
  channel.close()
  for (let count = 0; count < 3; count++) assert.equal((await fixture.ssh('u1', 'pwd')).stdout, '/\n')
})

test('who sends more than he may is sent away', { skip: missing('ssh') }, async (t) => {
  const { fixture } = await boxOf(t)
  const exec = await clientOf(t, fixture, 0)
  // It cannot say anything, so it takes nothing after a while.
  const channel = await exec('cat')
  channel.on('error', () => undefined).resume()
  let isClosed = false
  channel.once('close', () => {
    isClosed = true
  })
  const { outgoing } = channel as unknown as { readonly outgoing: { window: number } }
  // No number of pieces makes exactly a window.
  const piece = Buffer.alloc(50_000)
  for (let sent = 0; !isClosed; sent += piece.length) {
    assert.ok(sent < 1 << 30, 'all of it is taken')
    outgoing.window = piece.length
    channel.write(piece)
    await setImmediate()
  }
  assert.equal((await fixture.ssh('u1', 'pwd')).code, 0)
})
