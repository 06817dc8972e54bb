/**
 * What the tests with real clients stand on: the server as operators run it, the clients as their users install them,
 * and a private place for the files of each.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash, generateKeyPairSync } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { storageUrlOf } from '../../../src/kernel/contract/bases.ts'
import { bundle } from '../../program/kit/program.ts'
import { build } from '../../run/built.ts'
import { noteRequests } from './driven.ts'

const root = join(import.meta.dirname, '../../..')

/** Built clients; below node_modules, so that a second run finds them and nobody commits them. */
const cache = join(root, 'node_modules/.cache/clients')

/** Versions of the Python library: the newest, and one of the major version before. */
const pythonVersions = { old: '1.35.0', new: '2.27.0' }

const pytestVersion = '9.2.0'

/** Programs in Python that have no setting for the endpoint, by their names at the registry, with their versions. */
export const toolVersions = {
  'dns-lexicon': '3.25.2',
  octodns: '1.22.0',
  'octodns-hetzner': '2.0.0',
  certbot: '5.8.0',
  'certbot-dns-hetzner': '4.0.0',
  'certbot-dns-hetzner-cloud': '1.1.0',
} as const

/** Who runs the tests may not have every client; the run that guards the main branch must. */
export function skipWithout(t: TestContext, reason: string): void {
  if (process.env.CI === 'true') throw new Error(`${reason}, and CI=true allows no skips`)
  t.skip(reason)
}

// ---- Programs ------------------------------------------------------------------------------------------------------

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly input?: string
  /** Its end for one that hangs, however busy the machine is: ten minutes by default. */
  readonly timeoutMs?: number
}

/** Runs a program to its end, whatever that is. It sees only the environment given and what every program needs. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const { env = {}, cwd, input = '', timeoutMs = 600_000 } = options
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      {
        env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...env },
        ...(cwd === undefined ? {} : { cwd }),
        timeout: timeoutMs,
        maxBuffer: 2 ** 26,
      },
      (error, stdout, stderr) => {
        const code = error ? error.code : 0
        if (typeof code === 'number') resolve({ code, stdout, stderr })
        else reject(new Error(`${program} ${args.join(' ')}: ${error?.message}\n${stdout}${stderr}`))
      },
    )
    // A program that ends without reading its input is no failure of ours.
    child.stdin?.on('error', () => undefined).end(input)
  })
}

/** Where a program is, or undefined. Those of servers are where users do not look for commands. */
export function findProgram(name: string): string | undefined {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))
}

/** What a program said that was to install something and did not, as without a network. */
class InstallError extends Error {}

async function install(program: string, args: readonly string[], cwd: string): Promise<void> {
  // Package managers need the caches, proxies and settings of the user.
  const env = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== undefined))
  const { code, stdout, stderr } = await run(program, args, {
    cwd,
    env: env as Record<string, string>,
    timeoutMs: 900_000,
  })
  if (code !== 0) throw new InstallError(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`)
}

/**
 * A folder of the cache, filled on first use; undefined where that is not possible, with the reason on standard error.
 * Processes may do so side by side: the folder appears whole, and the first one stays.
 */
async function installOnce(name: string, fill: (draft: string) => Promise<void>): Promise<string | undefined> {
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  const draft = `${folder}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  try {
    await fill(draft)
    renameSync(draft, folder)
    return folder
  } catch (error) {
    if (existsSync(folder)) return folder
    if (!(error instanceof InstallError)) throw error
    console.error(error.message)
    return undefined
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

// ---- Clients -------------------------------------------------------------------------------------------------------

/** A hcloud command line, and its minor version: 30 is 1.30. */
export interface HcloudProgram {
  readonly program: string
  readonly minor: number
}

/**
 * The hcloud command line in one of three generations: `old` is the one on the machine, which distributions package,
 * `new` that of Debian 13, unpacked on first use, and `newest` the one of hcloud/go.mod, built on first use, which is the
 * only one that knows Storage Boxes; undefined where it cannot be had.
 */
export async function installHcloud(generation: 'old' | 'new' | 'newest'): Promise<HcloudProgram | undefined> {
  if (generation === 'new') return unpackHcloud()
  if (generation === 'newest') return buildHcloud()
  const program = process.env.WOLKE_TEST_HCLOUD ?? findProgram('hcloud')
  if (!program) return undefined
  const { stdout } = await run(program, ['version'])
  // The program of Debian does not know its version.
  const packaged = findProgram('dpkg-query')
  const version = /v?1\.\d+/.exec(stdout)?.[0] ?? (packaged && (await run(packaged, ['--show', 'hcloud-cli'])).stdout)
  return { program, minor: minorOf(version ?? '') }
}

/** The hcloud to take for what came with a minor version: that of Debian 13 where it can do it, or one that can. */
export async function hcloudsBySince(): Promise<(since?: number) => HcloudProgram | undefined> {
  const all = [await installHcloud('new'), await installHcloud('old'), await installHcloud('newest')]
  return (since = 0) => all.find((one) => one !== undefined && one.minor >= since)
}

const minorOf = (version: string) => Number(/1\.(\d+)/.exec(version)?.[1] ?? 30)

/** Debian signs its lists with keys that its earlier release has too, so that its tools verify what they download. */
const debian13 =
  'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian trixie main'

async function unpackHcloud(): Promise<HcloudProgram | undefined> {
  const [apt, dpkg] = ['apt-get', 'dpkg-deb'].map(findProgram)
  if (!apt || !dpkg) return undefined
  const folder = await installOnce('debian-13-hcloud', async (draft) => {
    for (const path of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(draft, path), { recursive: true })
    writeFileSync(join(draft, 'sources.list'), `${debian13}\n`)
    const options = [
      '-qq',
      `-oDir::Etc::sourcelist=${join(draft, 'sources.list')}`,
      '-oDir::Etc::sourceparts=-',
      `-oDir::State::lists=${join(draft, 'lists')}`,
      `-oDir::Cache=${join(draft, 'cache')}`,
      '-oAcquire::Languages=none',
    ]
    await install(apt, [...options, 'update'], draft)
    await install(apt, [...options, 'download', 'hcloud-cli'], draft)
    await install(dpkg, ['--extract', archiveIn(draft), '.'], draft)
    for (const path of ['lists', 'cache']) rmSync(join(draft, path), { recursive: true })
  })
  if (!folder) return undefined
  return { program: join(folder, 'usr/bin/hcloud'), minor: minorOf(archiveIn(folder)) }
}

/** The package in a folder. */
const archiveIn = (folder: string) => globSync('*.deb', { cwd: folder })[0] ?? ''

/** A Python that has the library, made on first use; undefined without Python. */
export async function installPython(generation: 'old' | 'new' = 'new'): Promise<string | undefined> {
  const version = pythonVersions[generation]
  const system = findProgram('python3')
  if (!system) return undefined
  const folder = await installOnce(`hcloud-python-${version}`, (draft) =>
    makePython(system, draft, [`hcloud==${version}`]),
  )
  return folder && join(folder, 'bin/python')
}

/** A Python that has the library and pytest, made on first use; undefined without Python. */
export async function installPytest(): Promise<string | undefined> {
  const system = findProgram('python3')
  if (!system) return undefined
  const packages = [`hcloud==${pythonVersions.new}`, `pytest==${pytestVersion}`]
  const folder = await installOnce(`pytest-${pytestVersion}-hcloud-${pythonVersions.new}`, (draft) =>
    makePython(system, draft, packages),
  )
  return folder && join(folder, 'bin/python')
}

const parserVersion = '0.26.0'

/** A Python with the parser of OpenMetrics by those who made the format; undefined where it cannot be had. */
export async function installOpenMetrics(): Promise<string | undefined> {
  const system = findProgram('python3')
  if (!system) return undefined
  const packages = [`prometheus-client==${parserVersion}`]
  const folder = await installOnce(`prometheus-client-${parserVersion}`, (draft) => makePython(system, draft, packages))
  return folder && join(folder, 'bin/python')
}

/** A Python that has the messages of OTLP, made on first use; undefined without Python. */
export async function installOtlp(): Promise<string | undefined> {
  const system = findProgram('python3')
  if (!system) return undefined
  const messages = 'opentelemetry-proto==1.45.2'
  const folder = await installOnce(messages.replace('==', '-'), (draft) => makePython(system, draft, [messages]))
  return folder && join(folder, 'bin/python')
}

/** The Go program, once it has what a module needs; undefined without Go. */
export async function installGoModules(source: string): Promise<string | undefined> {
  const go = findProgram('go')
  if (!go) return undefined
  const digest = createHash('sha256')
    .update(readFileSync(join(source, 'go.sum')))
    .digest('hex')
    .slice(0, 8)
  const downloaded = await installOnce(`go-modules-${digest}`, () => install(go, ['mod', 'download'], source))
  return downloaded && go
}

/** A Python that has all of `toolVersions`, made on first use; undefined without Python. */
export async function installTools(): Promise<string | undefined> {
  const system = findProgram('python3')
  if (!system) return undefined
  const packages = Object.entries(toolVersions).map(([name, version]) => `${name}==${version}`)
  const folder = await installOnce(
    `tools-${createHash('sha256').update(packages.join()).digest('hex').slice(0, 8)}`,
    (draft) => makePython(system, draft, packages),
  )
  return folder && join(folder, 'bin/python')
}

/** Makes a Python with these packages. Its folder may be renamed, but not the programs beside it, which nobody uses. */
async function makePython(system: string, folder: string, packages: readonly string[]): Promise<void> {
  await install(system, ['-m', 'venv', folder], cache)
  await install(join(folder, 'bin/python'), ['-m', 'pip', 'install', '--quiet', ...packages], cache)
}

/** Ansible's program, what its collection needs, and the package of all collections that has it. */
const ansibleVersions = { core: 'ansible-core==2.19.14', all: 'ansible==14.5.0' }
const collectionNeeds = ['requests==2.34.2', 'python-dateutil==4.0.0']

/** A Python with Ansible, and the folder of its collections, made on first use; undefined without Python. */
export async function installAnsible(): Promise<{ python: string; collections: string } | undefined> {
  const system = findProgram('python3')
  if (!system) return undefined
  const folder = await installOnce(ansibleVersions.all.replace('==', '-'), async (draft) => {
    await makePython(system, join(draft, 'python'), [ansibleVersions.core, ...collectionNeeds])
    const python = join(draft, 'python/bin/python')
    // Of the hundred collections of the package one is kept, so the newest is had with an older Python, too.
    const download = ['download', '--quiet', '--no-deps', '--only-binary=:all:', '--python-version=3.13']
    await install(python, ['-m', 'pip', ...download, ansibleVersions.all], draft)
    const wheel = globSync('*.whl', { cwd: draft })[0] ?? ''
    await install(python, ['-c', unpackCollection, wheel], draft)
    rmSync(join(draft, wheel))
  })
  return folder === undefined ? undefined : { python: join(folder, 'python/bin/python'), collections: folder }
}

const unpackCollection = `import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
wheel.extractall(members=[name for name in wheel.namelist() if name.startswith("ansible_collections/hetzner/")])`

/** What cloud-init's own code needs to be imported; its package is unpacked, not installed, so that nothing starts. */
const cloudInitNeeds = [
  'requests==2.34.2',
  'pyyaml==6.0.3',
  'jsonpatch==1.47',
  'oauthlib==4.0.1',
  'configobj==5.0.9',
  'jinja2==3.1.6',
]

/** The code of the distribution's cloud-init and a Python that can run it; undefined without the tools of Debian. */
export async function installCloudInit(): Promise<{ python: string; packages: string } | undefined> {
  const [system, apt, dpkg] = ['python3', 'apt-get', 'dpkg-deb'].map(findProgram)
  if (!system || !apt || !dpkg) return undefined
  const folder = await installOnce('debian-cloud-init', async (draft) => {
    await install(apt, ['download', '-qq', 'cloud-init'], draft)
    await install(dpkg, ['--extract', archiveIn(draft), '.'], draft)
    await makePython(system, join(draft, 'python'), cloudInitNeeds)
  })
  if (!folder) return undefined
  return { python: join(folder, 'python/bin/python'), packages: join(folder, 'usr/lib/python3/dist-packages') }
}

/** The folder of the Terraform provider, built on first use; undefined without Go. */
export async function installProvider(): Promise<string | undefined> {
  const built = await buildModule('provider', 'github.com/hetznercloud/terraform-provider-hcloud')
  return built?.folder
}

async function buildHcloud(): Promise<HcloudProgram | undefined> {
  const built = await buildModule('hcloud', 'github.com/hetznercloud/cli', 'cmd/hcloud')
  return built && { program: join(built.folder, 'hcloud'), minor: minorOf(built.version) }
}

/**
 * Builds the program of a Go module in the version of a go.mod beside this file, once; undefined without Go, or where
 * the module cannot be had. What go.sum says of it holds, wherever GOPROXY takes it from.
 */
async function buildModule(
  pins: string,
  module: string,
  program = '',
): Promise<{ folder: string; version: string } | undefined> {
  const source = join(import.meta.dirname, pins)
  const version = new RegExp(`${module} (v\\S+)`).exec(readFileSync(join(source, 'go.mod'), 'utf8'))![1]!
  const go = findProgram('go')
  const path = join(module, program)
  const folder = await installOnce(`${basename(path)}-${version}`, async (draft) => {
    if (!go) throw new InstallError(`there is no go to build ${path}`)
    const file = join(draft, basename(path))
    await install(go, ['build', '-mod=readonly', '-ldflags=-s -w', '-o', file, path], source)
  })
  return folder === undefined ? undefined : { folder, version }
}

/** The validator of the Compose Specification, built on first use; undefined without Go. */
export async function installCompose(): Promise<string | undefined> {
  const built = await buildModule('compose', 'github.com/compose-spec/compose-go/v2', 'cmd')
  return built && join(built.folder, 'cmd')
}

/** A program that judges manifests as the API server of Kubernetes would, built on first use; undefined without Go. */
export async function installManifests(): Promise<string | undefined> {
  const source = join(import.meta.dirname, 'manifests')
  const digest = createHash('sha256')
  for (const file of ['main.go', 'go.sum']) digest.update(readFileSync(join(source, file)))
  const go = findProgram('go')
  const folder = await installOnce(`manifests-${digest.digest('hex').slice(0, 8)}`, async (draft) => {
    if (!go) throw new InstallError('there is no go to build manifests')
    await install(go, ['build', '-mod=readonly', '-ldflags=-s -w', '-o', join(draft, 'manifests'), '.'], source)
  })
  return folder && join(folder, 'manifests')
}

// ---- The server ----------------------------------------------------------------------------------------------------

export const token = 'client-tests-'.padEnd(64, '0')

export interface Service {
  /** Endpoints and token of the clients, and a home without anybody's settings. */
  readonly env: Readonly<Record<string, string>>
  /** Where servers learn of themselves, below `/servers/{id}`. */
  readonly metadataUrl: string
  /** A folder of its own, which `stop` removes. */
  readonly folder: string
  /** Host and port of the name server. */
  readonly dns: string
  /** Kills the server without warning and starts it again; it keeps its addresses when `more` fixes them. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Both endpoints of the clients, by the base URL of the first: a client that had only the first would ask a stranger for the rest. */
export const endpointsAt = (url: string) => ({
  HCLOUD_ENDPOINT: url,
  HETZNER_ENDPOINT: storageUrlOf(url),
})

/** Starts `wolke serve` as a process of its own. `sqlite` keeps the data in a file; `more` are further options. */
export async function serve(database: 'memory' | 'sqlite', more: readonly string[] = []): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-clients-'))
  const readyFile = join(folder, 'ready.json')
  const url = database === 'memory' ? 'memory' : `sqlite:${join(folder, 'wolke.db')}`
  const options = {
    listen: '127.0.0.1:0',
    'dns-listen': '127.0.0.1:0',
    'metadata-listen': '127.0.0.1:0',
    database: url,
    token,
    'ready-file': readyFile,
  }
  // Far more requests than any test makes.
  const args = [
    bundle,
    'serve',
    '--rate-limit=999999999',
    ...Object.entries(options).map(([k, v]) => `--${k}=${v}`),
    ...more,
  ]
  // What a server that is killed leaves behind goes away with the folder.
  const env = { ...process.env, TMPDIR: folder }
  const launch = () => {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    noteRequests(child.stderr)
    return child
  }
  await build()
  let child = launch()
  const end = async (signal: NodeJS.Signals) => {
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill(signal)
    await ended
  }
  const endAtLast = () => child.kill('SIGKILL')
  process.once('exit', endAtLast)
  await welcomed(child)
  const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Readonly<Record<string, string>>
  const { base_url: endpoint = '', metadata_url: metadataUrl = '', dns = '' } = ready
  // Storage Boxes are at a root of their own and at that of all; clients are led to either.
  const second = database === 'memory' ? { HETZNER_ENDPOINT: endpoint } : {}
  return {
    env: { HOME: folder, XDG_CONFIG_HOME: folder, ...endpointsAt(endpoint), ...second, HCLOUD_TOKEN: token },
    metadataUrl,
    folder,
    dns,
    async restart() {
      await end('SIGKILL')
      child = launch()
      await welcomed(child)
    },
    async stop() {
      await end('SIGTERM')
      process.off('exit', endAtLast)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until the server greets its operator, which it does once it answers. */
function welcomed(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk
      if (output.includes('is ready.')) resolve()
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk
    })
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`the server ended with code ${code}:\n${output}`)))
  })
}

// ---- Material ------------------------------------------------------------------------------------------------------

/** A new public key in OpenSSH's one-line form. */
export function publicKey(): string {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const field = (content: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(content.length)
    return Buffer.concat([length, content])
  }
  const blob = Buffer.concat([field(Buffer.from('ssh-ed25519')), field(Buffer.from(x ?? '', 'base64url'))])
  return `ssh-ed25519 ${blob.toString('base64')} somebody@example`
}
