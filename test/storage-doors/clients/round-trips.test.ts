/**
 * Each client brings many files with odd names and one with holes, and takes all of them back as they were. Names are those
 * that the client itself, or what it speaks, can have.
 */
import assert from 'node:assert/strict'
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isLong } from '../../run/long.ts'
import { accountFor, type DoorsFixture, missing, openDoors, password } from '../kit/doors.ts'
import { missingMounts, mountDavfs, mountSshfs } from '../kit/mounts.ts'
import { contentsByName, fillWithNames, type WhichNames } from '../kit/names.ts'

/** Some start a program for each file, and so take a minute for all of them. */
const count = isLong ? 1_000 : 100
const longestMs = 300_000

/** Runs a program, which has to succeed. */
type Run = (program: string, args: readonly string[], input?: string, env?: object) => Promise<string>

interface Site {
  readonly fixture: DoorsFixture
  readonly names: readonly string[]
  readonly local: string
  readonly run: Run
  readonly t: TestContext
}

interface Client {
  readonly programs: readonly string[]
  readonly needsFuse?: boolean
  readonly which?: WhichNames
  /** The files are in the box as such, in the folder `tree`. */
  readonly isPlain?: boolean
  /** Brings `tree` to the box and takes it back as `back`. */
  readonly goAndReturn: (site: Site) => Promise<unknown>
}

const account = 'u1@127.0.0.1'
const isText = (name: string) => !['\n', '\r', '\t', '\x01', '\x7f'].some((one) => name.includes(one))

/** Restic has a name for each file of a tree, which is no file of the box. */
const restic = (remote: string, optionOf: (site: Site) => string): Client => ({
  programs: ['restic'],
  which: { areBytes: true },
  goAndReturn: async (site) => {
    const restic = (...args: string[]) =>
      site.run('restic', ['-r', remote, '-o', optionOf(site), ...args], '', { RESTIC_PASSWORD: 'x' })
    await restic('init')
    await restic('backup', 'tree')
    await restic('check', '--read-data')
    await restic('restore', 'latest', '--target', 'restored')
    await site.run('mv', ['restored/tree', 'back'])
  },
})

const rclone = (remoteOf: (site: Site) => Promise<string> | string): Client => ({
  programs: ['rclone'],
  isPlain: true,
  // It has other letters for some, and one for those that Unicode can write in two ways.
  which: { mayHave: (name) => isText(name) && !name.includes('e\xcc\x81') },
  goAndReturn: async (site) => {
    const remote = await remoteOf(site)
    await site.run('rclone', ['copy', 'tree', `${remote}tree`])
    await site.run('rclone', ['check', 'tree', `${remote}tree`])
    await site.run('rclone', ['copy', `${remote}tree`, 'back'])
  },
})

const addressOf = ({ fixture }: Site) => `http://127.0.0.1:${fixture.webdavPort}/`

const clients: Record<string, Client> = {
  'scp -O': {
    programs: ['scp'],
    isPlain: true,
    // It has another name for those of several lines, and says that it has none for those that are no texts.
    which: { mayHave: (name) => !name.includes('\n') },
    goAndReturn: async ({ fixture, run }) => {
      const options = ['-O', '-r', '-P', `${fixture.sshPort}`, ...fixture.options()]
      await run('scp', [...options, 'tree', `${account}:`])
      await run('scp', [...options, `${account}:tree`, 'back'])
    },
  },
  sshfs: {
    programs: ['sshfs', 'fusermount3'],
    needsFuse: true,
    isPlain: true,
    which: { areBytes: true },
    goAndReturn: async ({ t, fixture, run }) => {
      await mountSshfs(t, fixture)
      await run('cp', ['-r', '--sparse=always', 'tree', 'mnt/tree'])
      await run('cp', ['-r', '--sparse=always', 'mnt/tree', 'back'])
      await run('fusermount3', ['-u', 'mnt'])
    },
  },
  'restic by SFTP': restic(
    'sftp:u1@127.0.0.1:repo',
    ({ fixture }) => `sftp.command=${fixture.shell} ${account} -s sftp`,
  ),
  'restic by rclone': restic('rclone:box/repo', ({ fixture }) => `rclone.program=${fixture.shell} ${account} rclone`),
  borg: {
    programs: ['borg'],
    which: { areBytes: true },
    goAndReturn: async ({ fixture, run }) => {
      const repository = `ssh://${account}:${fixture.sshPort}/./repo`
      const borg = (...args: string[]) => run('borg', args, '', { BORG_RSH: fixture.shell, BORG_PASSPHRASE: 'x' })
      await borg('init', '-e', 'repokey', repository)
      await borg('create', `${repository}::first`, 'tree')
      await borg('check', '--verify-data', repository)
      await run('mv', ['tree', 'kept'])
      await borg('extract', '--sparse', `${repository}::first`)
      await run('mv', ['tree', 'back'])
      await run('mv', ['kept', 'tree'])
    },
  },
  'rclone by SFTP': rclone(
    ({ fixture, local }) => `:sftp,host=127.0.0.1,port=${fixture.sshPort},user=u1,key_file=${join(local, 'key')}:`,
  ),
  'rclone by WebDAV': rclone(async (site) => {
    const obscured = (await site.run('rclone', ['obscure', password])).trim()
    return `:webdav,url='${addressOf(site)}',vendor=owncloud,user=u1,pass=${obscured}:`
  }),
  lftp: {
    programs: ['lftp'],
    isPlain: true,
    which: { mayHave: (name) => !/[\n\\]/.test(name) },
    goAndReturn: async ({ fixture, run }) => {
      const setting = `set sftp:connect-program "ssh -a -x ${fixture.options().join(' ')}"`
      const at = `open -u u1,none -p ${fixture.sshPort} sftp://127.0.0.1`
      await run('lftp', ['-c', `${setting}; ${at}; mirror -R tree tree; mirror tree back`])
    },
  },
  cadaver: {
    programs: ['cadaver'],
    isPlain: true,
    which: { mayHave: (name) => isText(name) && !/["'\\]/.test(name) },
    goAndReturn: async (site) => {
      const { local, names, run } = site
      writeFileSync(join(local, '.netrc'), `machine 127.0.0.1 login u1 password ${password}\n`, { mode: 0o600 })
      mkdirSync(join(local, 'back'))
      const all = [...names, 'sparse']
      const up = all.map((name) => `put "tree/${name}" "tree/${name}"\n`)
      const down = all.map((name) => `get "tree/${name}" "back/${name}"\n`)
      const said = await run('cadaver', [addressOf(site)], ['mkcol tree\n', ...up, ...down, 'quit\n'].join(''))
      assert.doesNotMatch(said, /failed/)
    },
  },
  'curl by WebDAV': {
    programs: ['curl'],
    isPlain: true,
    which: {},
    goAndReturn: async (site) => {
      const { local, names, run } = site
      mkdirSync(join(local, 'back'))
      const quoted = (text: string) =>
        `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`
      const each = (line: (name: string, url: string) => string) =>
        [...names, 'sparse'].map((name) => line(name, `${addressOf(site)}tree/${encodeURIComponent(name)}`)).join('')
      const options = ['-sS', '--fail', '--globoff', '-u', `u1:${password}`]
      await run('curl', [...options, '-X', 'MKCOL', `${addressOf(site)}tree/`])
      const up = each((name, url) => `upload-file = ${quoted(`tree/${name}`)}\nurl = "${url}"\n`)
      await run('curl', [...options, '-K', '-'], up)
      const down = each((name, url) => `output = ${quoted(`back/${name}`)}\nurl = "${url}"\n`)
      await run('curl', [...options, '-K', '-'], down)
    },
  },
  davfs2: {
    programs: ['mount.davfs'],
    needsFuse: true,
    isPlain: true,
    which: {},
    goAndReturn: async ({ t, fixture, local, names, run }) => {
      await mountDavfs(t, fixture)
      await run('cp', ['-r', 'tree', 'mnt/tree'])
      await run('umount', ['mnt'])
      // What it has kept is gone with the first mount. Newer kernels list no directory of it, whatever the server says.
      await mountDavfs(t, fixture)
      mkdirSync(join(local, 'back'))
      await run('cp', ['-t', 'back', '--', ...[...names, 'sparse'].map((name) => `mnt/tree/${name}`)])
      await run('umount', ['mnt'])
    },
  },
}

for (const [name, { programs, needsFuse, which, isPlain, goAndReturn }] of Object.entries(clients)) {
  const skip = needsFuse ? missingMounts(...programs) : missing(...programs)
  test(`${name} brings ${count} files and takes them back`, { skip }, async (t) => {
    const fixture = await openDoors(t)
    const box = fixture.addBox()
    fixture.set(box, await accountFor(fixture))
    const local = join(fixture.folder, 'clients')
    const names = fillWithNames(join(local, 'tree'), { ...which, count }).map((one) => one.toString())
    writeFileSync(join(local, 'tree/sparse'), 'begins')
    truncateSync(join(local, 'tree/sparse'), 5_000_000)
    const run: Run = async (program, args, input, env) => {
      const { code, stdout, stderr } = await fixture.run(program, args, input, env, longestMs)
      assert.equal(code, 0, `${program} ${args.join(' ')}: ${stderr.slice(-2_000)}`)
      return stdout
    }
    await goAndReturn({ t, fixture, names, local, run })
    const tree = contentsByName(join(local, 'tree'))
    if (isPlain) assert.deepEqual(contentsByName(join(box.files, 'tree')), tree)
    assert.deepEqual(contentsByName(join(local, 'back')), tree)
    assert.deepEqual(fixture.reports, [])
  })
}
