/**
 * What operators install, by the commands of README.md word by word: a checkout without development dependencies, on
 * whichever Node.js the machine has, and the package for npm that is made of it.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { migrations } from '../../src/migrations/index.ts'
import { until } from '../kit/database/bare-database.ts'
import { closeAdmin } from '../kit/database/postgres.ts'
import { engines, freshDatabase } from '../kit/harness.ts'
import { selfSigned } from '../kit/samples/certificates.ts'
import { call, token } from './kit/program.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'wolke-package-'))
const checkout = join(folder, 'checkout')
const installed = join(folder, 'installed')
const program = join(installed, 'node_modules/wolke')

/** The programs of the machine, without those of the project under test: its Node.js may be older than Wolke needs. */
const itsPrograms = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.endsWith('/node_modules/.bin'))

type Environment = Readonly<Record<string, string | undefined>>

/** A machine where nothing of the project under test is around; npm keeps a cache in TMPDIR. */
function machineWith(programs: readonly string[]): Environment {
  const env = { ...process.env, PATH: programs.join(delimiter), TMPDIR: folder }
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(npm_|NODE_|INIT_CWD)/.test(name)))
}

const machine = machineWith(itsPrograms)
/** The same with the Node.js that the package needs. */
const newMachine = machineWith([dirname(process.execPath), ...itsPrograms])

/** Runs a command line and returns its standard output. */
function runs(command: string, cwd: string, env: Environment = machine): string {
  return execFileSync('sh', ['-c', command], { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** The commands that README.md starts with, without what it says about them. */
const [, beginning = ''] = /## Two commands\n(.+?)\n## /s.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
const commands = [...beginning.matchAll(/^(np[mx] .+?)(?: +#.*)?$|`(np[mx] [^`]+)`/gm)].map(
  ([, line, inline]) => line ?? inline!,
)

/** The one of them that begins so. */
function said(beginning: string): string {
  const found = commands.find((command) => command.startsWith(beginning))
  assert.ok(found, `README.md has no ${beginning}`)
  return found
}

/** A checkout is installed by the first part of a command, and started by the second one. */
const [install = '', start = ''] = said('npm ci --omit=dev').split(' && ')

const readPackage = (path: string) => JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))

/** A checkout after its installation, which needs a registry: without one it gets the same packages from this one. */
function makeCheckout(): void {
  const left = new Set(['.git', 'node_modules', 'dist', 'data', '.cache'].map((name) => join(root, name)))
  cpSync(root, checkout, { recursive: true, filter: (path) => !left.has(path) })
  if (process.env.CI) runs(install, checkout)
  else copyPackages()
}

function copyPackages(): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; link?: boolean }>
  }
  for (const [path, { dev, link }] of Object.entries(packages)) {
    // Packages for other platforms are locked, but not installed.
    if (!path.startsWith('node_modules/') || dev || link || !existsSync(join(root, path))) continue
    cpSync(join(root, path), join(checkout, path), { recursive: true })
  }
  mkdirSync(join(checkout, 'node_modules/.bin'))
  symlinkSync('../node/bin/node', join(checkout, 'node_modules/.bin/node'))
}

const running = new Set<ChildProcess>()

before(() => {
  makeCheckout()
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{}')
})

after(async () => {
  for (const child of running) process.kill(-child.pid!, 'SIGKILL')
  await closeAdmin()
  rmSync(folder, { recursive: true })
})

interface Started {
  readonly cwd: string
  readonly command: string
  readonly env: Environment
  readonly database: string
}

/** Starts a server by `command`, lets `use` call it, and asks it to stop, which it has to do with 0. */
async function whileServing(
  { cwd, command, env, database }: Started,
  use: (baseUrl: string) => Promise<void>,
): Promise<void> {
  const ready = join(cwd, 'ready.json')
  rmSync(ready, { force: true })
  const at = '127.0.0.1:0'
  const options = {
    ...{ WOLKE_LISTEN: at, WOLKE_DNS_LISTEN: at, WOLKE_METADATA_LISTEN: at, WOLKE_DATABASE: database },
    ...{ WOLKE_TOKEN: token, WOLKE_READY_FILE: ready, WOLKE_LOG_LEVEL: 'error' },
  }
  // npm and its shells form a group of processes with the server, which a failure must not leave behind.
  const child = spawn('sh', ['-c', command], {
    ...{ cwd, env: { ...env, ...options }, detached: true },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  running.add(child)
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  void closed.then(() => running.delete(child))
  await until(() => {
    assert.equal(child.exitCode, null, `the server ended instead of serving: ${errors}`)
    return existsSync(ready)
  }, 'the server is ready')
  const { base_url: baseUrl, pid } = JSON.parse(readFileSync(ready, 'utf8')) as { base_url: string; pid: number }
  await use(baseUrl)
  process.kill(pid, 'SIGTERM')
  await closed
  assert.equal(child.exitCode, 0, errors)
}

/** What makes the bundle and the console, and is in neither. */
const builders = ['@vitejs/plugin-react', 'node', 'rolldown', 'vite']

const inCheckout = {
  ...{ cwd: checkout, command: start, env: machine },
  database: `sqlite:${join(folder, 'data/wolke.db')}`,
}

test('A checkout without development dependencies builds and serves, on whichever Node.js the machine has', async () => {
  await whileServing(inCheckout, async (baseUrl) => {
    assert.equal((await call(baseUrl, 'GET', '/servers')).status, 200)
  })
})

test('The build says in one line what it needs on an older Node.js, before it does anything', () => {
  const sources = join(folder, 'sources')
  mkdirSync(sources)
  cpSync(join(root, 'build.mjs'), join(sources, 'build.mjs'))
  onOlderNodes((command) => {
    const child = spawnSync('sh', ['-c', `${command} build.mjs`], { cwd: sources, env: machine, encoding: 'utf8' })
    assert.deepEqual([child.status, child.stdout], [2, ''])
    assert.match(child.stderr, /^wolke: the build needs Node\.js 24\.9 or newer, .+, not v[\d.]+\n$/)
    assert.deepEqual(readdirSync(sources), ['build.mjs'])
  })
})

/** Changes a file of the checkout and builds; the names of the console's files before and after. */
function rebuild(path: string, change: (text: string) => string) {
  const assets = () => readdirSync(join(checkout, 'dist/console/assets'))
  const digest = () => readFileSync(join(checkout, 'dist/.digest-console'), 'utf8')
  const before = { assets: assets(), digest: digest() }
  writeFileSync(join(checkout, path), change(readFileSync(join(checkout, path), 'utf8')))
  execFileSync(process.execPath, ['build.mjs'], { cwd: checkout, env: newMachine })
  assert.notEqual(digest(), before.digest, `the console is made anew when ${path} changes`)
  return { before: before.assets, after: assets() }
}

test('Pages of the console that are open while a checkout is upgraded still get their files', async () => {
  const upgrade = rebuild('console/words/en/common.ts', (text) => text.replace("'Cancel'", "'Leave it'"))
  const gone = upgrade.before.filter((name) => !upgrade.after.includes(name) && name.endsWith('.js.br'))
  assert.ok(gone.length > 0)
  // A build that comes out the same must not put itself in the place of the one before.
  const same = rebuild('src/families/firewalls/decisions.ts', (text) => `${text}\n// Nothing else.\n`)
  assert.deepEqual(same.after, same.before)
  await whileServing(inCheckout, async (baseUrl) => {
    for (const name of gone) assert.equal((await assetOf(baseUrl, name)).status, 200, name)
  })
})

/** A file of the console, which the build has compressed, as a client with a wish for an encoding gets it. */
const assetOf = (baseUrl: string, name: string, encoding = '*') =>
  fetch(new URL(`/console/assets/${name.replace(/\.br$/, '')}`, baseUrl), { headers: { 'accept-encoding': encoding } })

test('The console is the same in each encoding that a client takes', async () => {
  const folder = join(checkout, 'dist/console/assets')
  await whileServing(inCheckout, async (baseUrl) => {
    for (const name of readdirSync(folder)) {
      const text = brotliDecompressSync(readFileSync(join(folder, name))).toString()
      for (const encoding of ['br', 'gzip', 'identity']) {
        const answer = await assetOf(baseUrl, name, encoding)
        assert.equal(answer.headers.get('content-encoding') ?? 'identity', encoding, name)
        assert.equal(await answer.text(), text, name)
      }
    }
  })
})

describe('The package', () => {
  let files: string[]
  let packedBytes: number

  before(() => {
    const told = { npm_config_json: 'true', npm_config_pack_destination: installed }
    const printed = runs(said('npm run package:npm'), checkout, { ...machine, ...told })
    const [packed] = JSON.parse(printed.slice(printed.search(/^\[$/m)))
    files = packed.files.map(({ path }: { path: string }) => path)
    packedBytes = packed.size
    // An empty cache and no network: whatever is missing in the package cannot come from elsewhere.
    const alone = { npm_config_offline: 'true', npm_config_cache: join(folder, 'cache') }
    runs(said('npm install'), installed, { ...newMachine, ...alone })
  })

  test('holds the program and its documentation, and is small', () => {
    const own = files.filter((path) => !/^(dist|docs|clients)\//.test(path)).sort()
    assert.deepEqual(own, ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
    assert.deepEqual(
      files.filter(
        (path) =>
          !/^docs\/.*\.md$|^dist\/[\w-]+\.(js|txt)$|^dist\/library\.d\.ts$|^clients\/[\w/]+\.(py|toml|go|mod|java)$|^dist\/console\/(index\.html|licenses\.json|assets\/[\w.-]+\.br)$/.test(
            path,
          ) && !own.includes(path),
      ),
      [],
    )
    // Three fifths of it are the program, a quarter the console.
    assert.ok(packedBytes < 2_000_000, `it has ${packedBytes} bytes`)
  })

  test('has no link to what is not in it', () => {
    const all = new Set(files)
    for (const path of files.filter((file) => file.endsWith('.md'))) {
      const text = readFileSync(join(program, path), 'utf8')
      const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!.replace(/#.*/, ''))
      const own = targets.filter((target) => target !== '' && !/^[a-z]+:/.test(target))
      const dead = own.filter((target) => !all.has(join(dirname(path), target)))
      assert.deepEqual(dead, [], path)
    }
  })

  test('needs no other package, and may be published', () => {
    const { private: kept, dependencies, optionalDependencies, peerDependencies, engines } = readPackage(program)
    const needs = { kept, dependencies, optionalDependencies, peerDependencies, engines }
    const none = { dependencies: undefined, optionalDependencies: undefined, peerDependencies: undefined }
    assert.deepEqual(needs, { kept: undefined, ...none, engines: { node: '>=24.9' } })
    assert.deepEqual(
      readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.')),
      ['wolke'],
    )
  })

  test('brings the licenses of what is bundled in it', () => {
    const notices = readFileSync(join(program, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
    for (const name of Object.keys(readPackage(join(root, 'src')).dependencies)) {
      if (!builders.includes(name)) assert.match(notices, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(.+\\)$`, 'm'))
    }
  })

  for (const engine of engines) {
    test(`serves from an empty folder on ${engine}`, async () => {
      const opened: (() => Promise<void>)[] = []
      const database = await freshDatabase(engine, opened)
      try {
        const url = database.engine === 'sqlite' ? 'sqlite:data/wolke.db' : database.url
        const env = { ...newMachine, npm_config_offline: 'true' }
        await whileServing({ cwd: installed, command: said('npx wolke'), env, database: url }, async (baseUrl) => {
          const upload = { name: 'web', ...selfSigned('www.example.com') }
          // A program of its own, on a thread, reads the pair.
          assert.equal((await call(baseUrl, 'POST', '/certificates', upload)).status, 201)
          // An authority of the installation issues this one, with libraries that are loaded on demand.
          const zone = { name: 'example.org', mode: 'primary' }
          assert.equal((await call(baseUrl, 'POST', '/zones', zone)).status, 201)
          const wanted = { name: 'managed', type: 'managed', domain_names: ['www.example.org'] }
          const { id } = (await call(baseUrl, 'POST', '/certificates', wanted)).json.action
          await until(async () => {
            const { action } = (await call(baseUrl, 'GET', `/actions/${id}`)).json
            assert.equal(action.error, null)
            return action.status === 'success'
          }, 'the certificate is issued')
        })
      } finally {
        for (const drop of opened) await drop()
      }
    })
  }

  test('is a library whose types say what it does', () => {
    const config = {
      compilerOptions: {
        ...{ target: 'es2024', lib: ['es2024', 'esnext.disposable'], module: 'nodenext', strict: true, noEmit: true },
        ...{ types: ['node'], typeRoots: [join(root, 'node_modules/@types')], skipLibCheck: false },
      },
      files: ['uses.mts'],
    }
    writeFileSync(join(installed, 'tsconfig.json'), JSON.stringify(config))
    cpSync(join(import.meta.dirname, 'kit/uses.mts'), join(installed, 'uses.mts'))
    runs(`'${join(root, 'node_modules/.bin/tsc')}' --project tsconfig.json`, installed, newMachine)
    const printed = JSON.parse(runs('node uses.mts', installed, newMachine))
    assert.deepEqual(printed, { names: ['web'], inFork: ['web', 'fork'], code: 'not_found', day: '2027-04-01' })
    // The declaration names nothing that the program does not have.
    const [, names = ''] = /\bexport\s*\{(.+?)\}/s.exec(readFileSync(join(program, 'dist/library.js'), 'utf8')) ?? []
    const declared = readFileSync(join(program, 'dist/library.d.ts'), 'utf8')
    const values = [...declared.matchAll(/^export declare (?:class|function) (\w+)/gm)].map(([, name]) => name)
    assert.deepEqual(
      values.sort(),
      names
        .split(',')
        .map((name) => name.split(' as ').at(-1)!.trim())
        .sort(),
    )
  })

  test('says its version and its schema', () => {
    const { version } = readPackage(root)
    const schema = migrations.at(-1)!.id
    const said = `wolke ${version} (schema ${schema})\n`
    assert.equal(runs('npx --offline wolke --version', installed, newMachine), said)
  })

  test('says in one line what it needs on an older Node.js', () => {
    onOlderNodes((command) => {
      const line = `${command} ${join(program, 'dist/main.js')} serve`
      const child = spawnSync('sh', ['-c', line], { env: machine, encoding: 'utf8' })
      assert.deepEqual([child.status, child.stdout], [2, ''])
      assert.match(child.stderr, /^wolke: needs Node\.js 24\.9 or newer, not v[\d.]+\n$/)
    })
  })
})

/** Calls `check` with commands that run an older Node.js: this one, which says that it is, and whatever the machine has. */
function onOlderNodes(check: (command: string) => void): void {
  const older = "{ version: { value: 'v22.1.0' }, versions: { value: { node: '22.1.0' } } }"
  check(`'${process.execPath}' --import "data:text/javascript,Object.defineProperties(process, ${older})"`)
  for (const path of new Set(itsPrograms.map((path) => join(path, 'node')).filter(existsSync))) {
    const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
    if (Number(/^v(\d+)/.exec(stdout)?.[1]) < 24) check(path)
  }
}
