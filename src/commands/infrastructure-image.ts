/** `wolke infrastructure image` brings the images onto hosts from which servers are installed. */
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Command, Option } from 'commander'
import type { Architecture, SystemImage } from '../catalogue/catalogue.ts'
import type { Config } from '../config/config.ts'
import { balancerImage } from '../drivers/hosts/balancers/instance.ts'
import type { ImageSource } from '../drivers/hosts/images/imports.ts'
import { architectures } from '../drivers/hosts/members.ts'
import { imageAlias } from '../drivers/hosts/names.ts'
import { DriverError } from '../kernel/actions/define.ts'
import { forEachCluster, opened } from './each-cluster.ts'
import { CommandFailure } from './failure.ts'
import { readCatalogue } from './options.ts'
import { jsonOption, type ListOptions, printList } from './output.ts'

interface Options extends Config, ListOptions {
  readonly architecture?: Architecture
  readonly metadata?: string
  readonly root?: string
  readonly server: string
  readonly image?: string
}

/** An image that servers or Load Balancers may be made of. */
interface Importable {
  readonly name: string
  /** Undefined when it is for whatever hosts there are. */
  readonly architecture: Architecture | undefined
  readonly alias: string
}

/** Declares the command. */
export function imageCommand(): Command {
  return new Command('image')
    .description('bring an image onto the hosts; without a name: list the images and which of them are there')
    .argument('[name]', `name of an image of the catalogue, or ${balancerImage}`)
    .addOption(new Option('--architecture <name>', 'that of the image, on hosts of both').choices(['x86', 'arm']))
    .option('--metadata <file>', 'the metadata of an image of Incus: a file, or the URL of one')
    .option('--root <file>', 'its root file system (squashfs), or the disk of a virtual machine (qcow2)')
    .option(
      '--server <url>',
      'where hosts fetch it without these files (simplestreams)',
      'https://images.linuxcontainers.org',
    )
    .option('--image <alias>', 'what that server calls it (default: such as debian/12/cloud)')
    .addOption(jsonOption())
    .action((name: string | undefined, options: Options) => (name === undefined ? list(options) : bring(name, options)))
}

async function list(options: Options): Promise<void> {
  const all = await knownImages(options)
  const found: (Omit<Importable, 'architecture'> & {
    infrastructure: string
    architecture: string
    isThere: boolean
  })[] = []
  await forEachCluster(options, async (open, infrastructure) => {
    const { aliases, architectures } = await asked((await opened(open)).images())
    for (const { name, architecture = '', alias } of all.filter((image) => runsOn(image, architectures))) {
      found.push({ infrastructure, name, architecture, alias, isThere: aliases.has(alias) })
    }
  })
  await printList(console.log, found, options, ({ infrastructure, name, architecture, alias, isThere }) => [
    infrastructure,
    name,
    architecture,
    alias,
    isThere ? 'there' : 'missing',
  ])
}

async function bring(name: string, options: Options): Promise<void> {
  const all = await knownImages(options)
  const named = all.filter((image) => image.name === name)
  if (named.length === 0) {
    const names = [...new Set(all.map((image) => image.name))].join(', ')
    throw new CommandFailure(`name: there is no image ${name}, but ${names}`, 2)
  }
  await using stack = new AsyncDisposableStack()
  const source = await sourceOf(name, options, stack)
  await forEachCluster(options, async (open, infrastructure) => {
    const hosts = await opened(open)
    const { architectures } = await asked(hosts.images())
    const { alias } = chosen(named, options.architecture, architectures)
    const isNew = await asked(hosts.importImage(alias, source))
    console.log([infrastructure, name, alias, isNew ? 'imported' : 'there already'].join('\t'))
  })
}

async function knownImages({ catalogue }: Options): Promise<Importable[]> {
  const { images } = await readCatalogue(catalogue)
  const isNamed = (image: SystemImage): image is SystemImage & { name: string } => image.name !== null
  const system = images
    .filter(isNamed)
    .map(({ id, name, architecture }) => ({ name, architecture, alias: imageAlias(id) }))
  return [...system, { name: balancerImage, architecture: undefined, alias: balancerImage }]
}

const runsOn = ({ architecture }: Importable, here: ReadonlySet<string>) =>
  architecture === undefined || here.has(architectures[architecture])

/** The one that is meant of those with the same name. Errors: `CommandFailure`. */
function chosen(named: readonly Importable[], wanted: Architecture | undefined, here: ReadonlySet<string>): Importable {
  const possible = named.filter(
    (image) => runsOn(image, here) && (image.architecture ?? wanted) === (wanted ?? image.architecture),
  )
  const [only, ...others] = possible
  if (!only)
    throw new CommandFailure(`--architecture: no host runs ${named[0]!.name} of ${wanted ?? 'its architecture'}`, 2)
  if (others.length > 0)
    throw new CommandFailure('--architecture: there are hosts of both, so say which the image is for', 2)
  return only
}

/** Where the image comes from. Errors: `CommandFailure` that names the option. */
async function sourceOf(name: string, options: Options, stack: AsyncDisposableStack): Promise<ImageSource> {
  const { metadata, root, server, image } = options
  if (metadata !== undefined && root !== undefined) {
    const fetched = (option: string, from: string) => fileOf(option, from, stack)
    return { metadata: await fetched('--metadata', metadata), root: await fetched('--root', root) }
  }
  if (metadata !== undefined || root !== undefined) {
    throw new CommandFailure(`--${metadata === undefined ? 'metadata' : 'root'}: an image is made of both files`, 2)
  }
  if (!URL.canParse(server)) throw new CommandFailure(`--server: ${server} is no URL`, 2)
  const alias = image ?? remoteName(name)
  if (alias !== undefined) return { server, alias }
  throw new CommandFailure(`--image: say what ${server} calls ${name}, or give --metadata and --root`, 2)
}

/** The names of distributions on the usual server, where they differ. */
const folders: Readonly<Record<string, string>> = { rocky: 'rockylinux', alma: 'almalinux' }

/** What the usual server calls an image of the catalogue; undefined where that is not known. */
function remoteName(name: string): string | undefined {
  const [, stream] = /^centos-stream-(\d+)$/.exec(name) ?? []
  if (stream !== undefined) return `centos/${stream}-Stream/cloud`
  const [, folder = '', version] = /^(debian|ubuntu|fedora|rocky|alma)-([\d.]+)$/.exec(name) ?? []
  return version === undefined ? undefined : `${folders[folder] ?? folder}/${version}/cloud`
}

/** The path of a file, which is fetched first if it is one elsewhere. */
async function fileOf(option: string, from: string, stack: AsyncDisposableStack): Promise<string> {
  try {
    if (!/^https?:/.test(from)) {
      statSync(from)
      return from
    }
    const folder = mkdtempSync(join(tmpdir(), 'wolke-image-'))
    stack.defer(() => rmSync(folder, { recursive: true }))
    const response = await fetch(from)
    if (!response.ok || !response.body) throw new Error(`${from} answers with status ${response.status}`)
    await pipeline(Readable.fromWeb(response.body), createWriteStream(join(folder, 'file')))
    return join(folder, 'file')
  } catch (error) {
    throw new CommandFailure(`${option}: ${(error as Error).message}`, 2)
  }
}

/** What hosts answer. Errors: `CommandFailure` with the words of the hosts. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof DriverError)) throw error
    const { message, cause } = error
    throw new CommandFailure(cause instanceof Error ? `${message}: ${cause.message}` : message)
  }
}
