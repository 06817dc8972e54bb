/** Brings system images onto hosts, where servers find them by their aliases. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { DriverError } from '../../../kernel/actions/define.ts'
import type { Incus } from '../../../protocols/incus/client.ts'
import type { Config } from '../../../protocols/incus/edit.ts'
import type { InstanceType } from '../options.ts'
import { imageMark } from './images.ts'

/** The two files of an image, or what a server of the protocol simplestreams calls one. */
export type ImageSource =
  | { readonly metadata: string; readonly root: string }
  | { readonly server: string; readonly alias: string }

interface StoredImage {
  readonly fingerprint: string
  readonly type: InstanceType
  readonly update_source: { readonly server: string; readonly alias: string } | null
  readonly aliases: readonly { readonly name: string }[] | null
  readonly properties: Config | null
}

const aliasesPath = '/1.0/images/aliases'

/**
 * Makes an alias lead to an image, which is brought onto the hosts unless they have it: the newest one of a server. An image
 * that the alias led to before goes if nothing else leads to it. Answers false when nothing had to be changed. Errors:
 * `DriverError`, and those of reading files.
 */
export async function importImage(
  incus: Incus,
  alias: string,
  source: ImageSource,
  instanceType: InstanceType,
): Promise<boolean> {
  const path = `${aliasesPath}/${alias}`
  const led = async () => (await incus.get<{ target: string }>(path))?.value.target
  const before = await led()
  const target =
    'server' in source ? await pulled(incus, source, instanceType) : await uploaded(incus, source, instanceType)
  const now = await led()
  if (now === undefined) await incus.change('POST', aliasesPath, { name: alias, target, description: '' })
  else if (now !== target) await incus.change('PUT', path, { target, description: '' })
  if (before === target) return false
  if (before !== undefined) await removeUnnamed(incus, before)
  return true
}

/** Names of aliases that hosts have. Errors: `DriverError`. */
export async function imageAliases(incus: Incus): Promise<ReadonlySet<string>> {
  return new Set((await incus.list<{ name: string }>(`${aliasesPath}?recursion=1`)).map(({ name }) => name))
}

/** Lets the hosts fetch an image themselves, or the newest one in its stead, and returns its fingerprint. */
async function pulled(
  incus: Incus,
  { server, alias }: Extract<ImageSource, { server: string }>,
  instanceType: InstanceType,
): Promise<string> {
  const find = async () => {
    const all = await incus.list<StoredImage>('/1.0/images?recursion=1')
    const isIt = ({ type, update_source: from }: StoredImage) =>
      type === instanceType && from?.server === server && from.alias === alias
    return all.find(isIt)?.fingerprint
  }
  const known = await find()
  if (known === undefined) {
    const source = { type: 'image', mode: 'pull', protocol: 'simplestreams', server, alias, image_type: instanceType }
    await incus.change('POST', '/1.0/images', { source, public: false })
  } else await incus.change('POST', `/1.0/images/${known}/refresh`)
  const found = await find()
  if (found !== undefined) return found
  throw new DriverError(`the image ${alias} is not there after it was fetched`, { transient: true })
}

/** Sends the files of an image, and returns its fingerprint. Incus derives it from their bytes, one after the other. */
async function uploaded(
  incus: Incus,
  { metadata, root }: Extract<ImageSource, { metadata: string }>,
  instanceType: InstanceType,
): Promise<string> {
  const hash = createHash('sha256')
  for (const path of [metadata, root]) for await (const piece of createReadStream(path)) hash.update(piece)
  const fingerprint = hash.digest('hex')
  if (await incus.get(`/1.0/images/${fingerprint}`)) return fingerprint
  const parts = [
    { name: 'metadata', path: metadata },
    { name: instanceType === 'container' ? 'rootfs' : 'rootfs.img', path: root },
  ]
  await incus.upload('/1.0/images', await formOf(parts))
  return fingerprint
}

interface Part {
  readonly name: string
  readonly path: string
}

/** A form of files, which are read as they are sent. */
async function formOf(parts: readonly Part[]) {
  const boundary = 'wolke-image'
  const head = ({ name }: Part) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n` +
    'Content-Type: application/octet-stream\r\n\r\n'
  const sizes = await Promise.all(parts.map(async ({ path }) => (await stat(path)).size))
  const end = `--${boundary}--\r\n`
  const framing = parts.map((part) => `${head(part)}\r\n`).join('') + end
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: sizes.reduce((sum, size) => sum + size, framing.length),
    open: () =>
      Readable.from(
        (async function* () {
          for (const part of parts) {
            yield Buffer.from(head(part))
            yield* createReadStream(part.path)
            yield Buffer.from('\r\n')
          }
          yield Buffer.from(end)
        })(),
      ),
  }
}

/** Images that Wolke made of servers have no business here, whatever leads to them. */
async function removeUnnamed(incus: Incus, fingerprint: string): Promise<void> {
  const found = await incus.get<StoredImage>(`/1.0/images/${fingerprint}`)
  if (!found || (found.value.aliases ?? []).length > 0 || found.value.properties?.[imageMark] !== undefined) return
  await incus.change('DELETE', `/1.0/images/${fingerprint}`)
}
