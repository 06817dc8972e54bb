/**
 * Makes the OCI image: nothing but the program with Node.js, and the libraries of the C language that it needs. The same
 * sources and libraries at the same `SOURCE_DATE_EPOCH`, which is the time of the commit by default, make the same bytes.
 * The first argument is the folder of the image (default: this one). Prints the path of an archive that `podman load`,
 * `docker load` and `skopeo copy oci-archive:` read.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { architecture, epoch, licenses, manifest, output, setTimes, write, writeProgramWithNode } from './tree.ts'

const [folder = '.'] = process.argv.slice(2)
const seconds = epoch()
const date = new Date(seconds * 1_000).toISOString()
/** The user of the process; without a name, so that an engine can tell that it is not root. */
const user = '65532:65532'
const data = 'var/lib/wolke'
const program = 'usr/lib/wolke'
const name = `wolke:${manifest.version}`

/** Packages of Debian with what Node.js is linked to. */
const libraries = ['libc6', 'libstdc++6', 'libgcc-s1']
const isLibrary = (path: string) => /\/(ld-linux|lib)[^/]*\.so[.\d]*$/.test(path)

/**
 * The program answers by itself whether it is well. OCI has no word for that; this is the one of Docker, which engines
 * that do not know it leave unread, and which Docker and its builders have in OCI images too. Times are in nanoseconds.
 */
const healthcheck = {
  Test: ['CMD', '/usr/bin/wolke', 'health'],
  ...{ Interval: 10e9, Timeout: 10e9, StartPeriod: 60e9, Retries: 3 },
}

/** Options of tar with which the same files make the same bytes. */
const fixed = ['--sort=name', `--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner']

const work = mkdtempSync(join(tmpdir(), 'wolke-oci-'))
const [tree, layout] = [join(work, 'tree'), join(work, 'layout')]
process.umask(0o022)
try {
  const path = resolve(folder, `wolke_${manifest.version}_${architecture()}.oci.tar`)
  writeSystem()
  writeProgram()
  setTimes(tree, seconds)
  makeImage()
  complete()
  run('tar', ['-cf', path, ...fixed, '--mode=u=rwX,go=rX', '-C', layout, '.'])
  console.log(path)
} finally {
  rmSync(work, { recursive: true })
}

function put(path: string, contents: string | Uint8Array, mode = 0o644): void {
  write(join(tree, path), contents, mode)
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Writes what a process needs that is neither Node.js nor the program. */
function writeSystem(): void {
  for (const place of ['dev', 'proc', 'sys', 'run', 'tmp', data]) mkdirSync(join(tree, place), { recursive: true })
  chmodSync(join(tree, 'tmp'), 0o1777)
  chmodSync(join(tree, data), 0o700)
  put('etc/passwd', `root:x:0:0::/:/nonexistent\nwolke:x:${user}::/${data}:/nonexistent\n`)
  put('etc/group', 'root:x:0:\nwolke:x:65532:\n')
  put('etc/nsswitch.conf', 'hosts: files dns\n')
  const copyrights = libraries.map((library) => `/usr/share/doc/${library}/copyright`)
  const listed = output('dpkg-query', '--listfiles', ...libraries).split('\n')
  for (const path of [...listed.filter(isLibrary), ...copyrights]) {
    mkdirSync(join(tree, path, '..'), { recursive: true })
    copyFileSync(path, join(tree, path))
    chmodSync(join(tree, path), statSync(path).mode & 0o777)
  }
}

function writeProgram(): void {
  writeProgramWithNode(join(tree, program), `/${program}/node`)
  mkdirSync(join(tree, 'usr/bin'), { recursive: true })
  symlinkSync(`../lib/wolke/dist/main.js`, join(tree, 'usr/bin/wolke'))
  put('etc/wolke/wolke.yaml', readFileSync(join(import.meta.dirname, 'oci/wolke.yaml')))
  for (const [file, text] of Object.entries(licenses())) put(`usr/share/doc/wolke/${file}`, text)
}

/** Makes two layers, of which upgrades of the program replace the upper one, the smaller by far. */
function makeImage(): void {
  const upper = ['usr/bin', `${program}/dist`, `${program}/package.json`, 'etc/wolke', 'usr/share/doc/wolke']
  const [below, above] = [join(work, 'below.tar'), join(work, 'above.tar')]
  const left = [...upper, data].map((path) => `--exclude=./${path}`)
  run('tar', ['-cf', below, ...fixed, '-C', tree, ...left, '.'])
  const owned = fixed.map((option) => option.replace(/^(--owner|--group)=0$/, '$1=65532'))
  run('tar', ['-rf', below, ...owned, '-C', tree, `./${data}`])
  run('tar', ['-cf', above, ...fixed, '-C', tree, ...upper.map((path) => `./${path}`)])
  const image = `${layout}:${manifest.version}`
  const when = `--history.created=${date}`
  run('umoci', ['init', '--layout', layout])
  run('umoci', ['new', '--image', image])
  run('umoci', ['raw', 'add-layer', when, '--history.created_by=Node.js and libraries', '--image', image, below])
  run('umoci', ['raw', 'add-layer', when, '--history.created_by=Wolke', '--image', image, above])
  run('umoci', ['config', when, `--created=${date}`, ...configuration(), '--image', image])
  run('umoci', ['gc', '--layout', layout])
}

function configuration(): string[] {
  const labels = {
    title: 'Wolke',
    description: manifest.description,
    version: manifest.version,
    licenses: manifest.license,
    created: date,
    revision: output('git', 'rev-parse', 'HEAD'),
  }
  return [
    ...['--os=linux', `--architecture=${architecture()}`, `--config.user=${user}`],
    ...['--config.entrypoint=/usr/bin/wolke', '--config.cmd=serve', '--config.exposedports=8080/tcp'],
    ...[`--config.workingdir=/${data}`, `--config.volume=/${data}`, '--config.stopsignal=SIGTERM'],
    ...[
      'PATH=/usr/bin',
      `HOME=/${data}`,
      'WOLKE_CONFIG=/etc/wolke/wolke.yaml',
      'WOLKE_QUIET=true',
      'NODE_DISABLE_COMPILE_CACHE=1',
    ].map((variable) => `--config.env=${variable}`),
    ...Object.entries(labels).map(([key, value]) => `--config.label=org.opencontainers.image.${key}=${value}`),
  ]
}

interface Blob {
  readonly digest: string
  readonly size: number
}

/** The path of a blob in the layout. */
function pathOf({ digest }: Blob): string {
  return join('blobs', digest.replace(':', '/'))
}

function read(path: string) {
  return JSON.parse(readFileSync(join(layout, path), 'utf8'))
}

/** Writes JSON as a blob, and returns what refers to it in the place of `before`. */
function replaced(before: Blob, value: unknown): Blob {
  const bytes = Buffer.from(JSON.stringify(value))
  const after = { digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, size: bytes.length }
  rmSync(join(layout, pathOf(before)))
  write(join(layout, pathOf(after)), bytes)
  return { ...before, ...after }
}

/** Adds what umoci has no word for: the health check, and the name under which engines load the image. */
function complete(): void {
  const index = read('index.json')
  const [entry] = index.manifests
  const image = read(pathOf(entry))
  const settings = read(pathOf(image.config))
  settings.config.Healthcheck = healthcheck
  image.config = replaced(image.config, settings)
  const annotations = { ...entry.annotations, 'io.containerd.image.name': `docker.io/library/${name}` }
  index.manifests = [{ ...replaced(entry, image), annotations }]
  write(join(layout, 'index.json'), JSON.stringify(index))
  // Engines that do not read the index find the same blobs through this file.
  const docker = [{ Config: pathOf(image.config), RepoTags: [name], Layers: image.layers.map(pathOf) }]
  write(join(layout, 'manifest.json'), JSON.stringify(docker))
}
