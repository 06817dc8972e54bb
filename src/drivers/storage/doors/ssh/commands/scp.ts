/**
 * The older protocol of SCP (`scp -O`), at the end of the server: `-t` takes files and `-f` sends them. Each line and each
 * file is answered with a zero byte, or with 1 and a line that says what went wrong.
 */
import { isUtf8 } from 'node:buffer'
import type { DirectoryEntry, FileInfo } from '../../files.ts'
import { type Command, lastOf, type Shell, within } from './command.ts'
import { parseOptions } from './words.ts'

/** The other side says what cannot be followed. */
class ScpError extends Error {}

const longestLine = 16 * 1024
const ok = Buffer.from([0])

/** Reads lines and counted bytes from what the client sends. */
class Incoming {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#source.next()
    if (done) return false
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, value]) : value
    return true
  }

  /** Up to the end of a line, which is not part of it; undefined at the end of all. */
  async line(): Promise<Buffer | undefined> {
    for (;;) {
      const end = this.#rest.indexOf(10)
      if (end >= 0) {
        const line = this.#rest.subarray(0, end)
        this.#rest = this.#rest.subarray(end + 1)
        return line
      }
      if (this.#rest.length > longestLine) throw new ScpError('a line is too long')
      if (!(await this.#more())) return undefined
    }
  }

  async *bytes(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0 && !(await this.#more())) throw new ScpError('the connection was lost')
      const part = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  /** The answer to what was sent. Errors: what the client says. */
  async answer(): Promise<void> {
    for await (const [code] of this.bytes(1)) {
      if (code === 0) return
      const words = await this.line()
      throw new ScpError(words?.toString() ?? 'the client gave up')
    }
  }
}

export const scp: Command = async (shell, words) => {
  const { options, rest } = parseOptions(words, 'tfrpdvqC')
  const incoming = new Incoming(shell.input)
  const path = rest[0] ?? '.'
  if (options.has('t')) return new Sink(shell, incoming, options).take(path)
  if (options.has('f')) return new Source(shell, incoming, options).send(rest)
  shell.complain('scp: this is the end of a server, which needs -t or -f')
  return 1
}

interface Times {
  readonly accessed: number
  readonly modified: number
}

class Sink {
  readonly #shell: Shell
  readonly #incoming: Incoming
  readonly #options: ReadonlySet<string>
  #status = 0

  constructor(shell: Shell, incoming: Incoming, options: ReadonlySet<string>) {
    this.#shell = shell
    this.#incoming = incoming
    this.#options = options
  }

  async take(path: string): Promise<number> {
    const isFolder = (await this.#shell.files.find(path))?.kind === 'directory'
    if (this.#options.has('d') && !isFolder) {
      await this.#complain(`${path}: Not a directory`)
      return 1
    }
    await this.#shell.print(ok)
    await this.#takeInto(path, isFolder)
    return this.#status
  }

  async #complain(words: string): Promise<void> {
    this.#status = 1
    await this.#shell.print(`\u0001scp: ${words}\n`)
  }

  async #takeInto(path: string, isFolder: boolean): Promise<void> {
    let times: Times | undefined
    for (;;) {
      const said = await this.#incoming.line()
      if (said === undefined) return
      const line = said.toString()
      if (line === 'E') return this.#shell.print(ok)
      if (!isUtf8(said)) {
        // Paths are texts here, and a file of another name would be no copy. The client goes on with the next one.
        times = undefined
        await this.#complain(`${line}: names that are not UTF-8 need the newer protocol`)
        continue
      }
      const [, modified, accessed] = /^T(\d+) \d+ (\d+) \d+$/.exec(line) ?? []
      if (modified !== undefined) {
        times = { modified: Number(modified), accessed: Number(accessed) }
        await this.#shell.print(ok)
        continue
      }
      const [, type, mode, size, name = ''] = /^([CD])([0-7]{4}) (\d+) (.+)$/s.exec(line) ?? []
      if (type === undefined || name === '' || name === '.' || name === '..' || name.includes('/')) {
        await this.#complain('protocol error')
        return
      }
      const target = isFolder ? within(path, name) : path
      const rights = Number.parseInt(mode!, 8) & 0o777
      if (type === 'D') await this.#takeFolder(target, rights)
      else await this.#takeFile(target, rights, Number(size))
      if (times && this.#status === 0) await this.#shell.files.setTimes(target, times.accessed, times.modified)
      times = undefined
    }
  }

  async #takeFolder(target: string, mode: number): Promise<void> {
    try {
      if ((await this.#shell.files.find(target))?.kind !== 'directory')
        await this.#shell.files.mkdir(target, mode | 0o700)
    } catch (error) {
      return this.#complain(`${target}: ${(error as Error).message}`)
    }
    await this.#shell.print(ok)
    await this.#takeInto(target, true)
  }

  async #takeFile(target: string, mode: number, size: number): Promise<void> {
    await this.#shell.print(ok)
    const bytes = this.#incoming.bytes(size)
    let problem: string | undefined
    try {
      await this.#shell.files.write(target, kept(bytes), { mode })
    } catch (error) {
      problem = (error as Error).message
    }
    // The client sends all of it, whatever becomes of it.
    for await (const _ of bytes);
    await this.#incoming.answer()
    if (problem === undefined) await this.#shell.print(ok)
    else await this.#complain(`${target}: ${problem}`)
  }
}

/** The same bytes, of which the rest can still be read when whoever reads these stops. */
async function* kept(bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  for (let next = await bytes.next(); !next.done; next = await bytes.next()) yield next.value
}

/** A name as one line, in the way of OpenSSH where it is more than one. */
const lined = (name: string) => (name.includes('\n') ? name.replaceAll('\\', '\\\\').replaceAll('\n', '\\^J') : name)

class Source {
  readonly #shell: Shell
  readonly #incoming: Incoming
  readonly #options: ReadonlySet<string>
  #status = 0

  constructor(shell: Shell, incoming: Incoming, options: ReadonlySet<string>) {
    this.#shell = shell
    this.#incoming = incoming
    this.#options = options
  }

  async send(paths: readonly string[]): Promise<number> {
    await this.#incoming.answer()
    for (const path of paths) {
      try {
        await this.#sendAny(path, lastOf(path), await this.#shell.files.stat(path))
      } catch (error) {
        if (error instanceof ScpError) throw error
        await this.#complain(`${path}: ${(error as Error).message}`)
      }
    }
    return this.#status
  }

  async #complain(words: string): Promise<void> {
    this.#status = 1
    await this.#shell.print(`\u0001scp: ${words}\n`)
  }

  async #sendAny(path: string, name: string, info: FileInfo): Promise<void> {
    const isFolder = info.kind === 'directory'
    // Whoever opens a pipe waits until somebody writes to it.
    if (info.kind !== 'file' && !(isFolder && this.#options.has('r'))) {
      await this.#complain(`${path}: not a regular file`)
      return
    }
    if (this.#options.has('p')) await this.#say(`T${info.modified} 0 ${info.accessed} 0`)
    const mode = (info.mode & 0o777).toString(8).padStart(4, '0')
    if (isFolder) await this.#sendFolder(path, name, mode)
    else await this.#sendFile(path, name, mode, info.size)
  }

  async #sendFolder(path: string, name: string, mode: string): Promise<void> {
    await this.#say(`D${mode} 0 ${lined(name) || '/'}`)
    for await (const entries of this.#shell.files.pieces(path)) {
      for (const entry of entries) await this.#sendEntry(path, entry)
    }
    await this.#say('E')
  }

  async #sendEntry(path: string, entry: DirectoryEntry): Promise<void> {
    const target = within(path, entry.name)
    // The target of a link is sent in its place, as far as there is one.
    const info = entry.kind === 'link' ? await this.#shell.files.find(target) : entry
    if (info) await this.#sendAny(target, entry.name, info)
  }

  async #sendFile(path: string, name: string, mode: string, size: number): Promise<void> {
    await this.#say(`C${mode} ${size} ${lined(name)}`)
    let left = size
    for await (const bytes of this.#shell.files.read(path, 0, size)) {
      left -= bytes.length
      await this.#shell.print(bytes)
    }
    // A file that has become shorter is filled up: its length was announced.
    for (; left > 0; left -= longestLine) await this.#shell.print(Buffer.alloc(Math.min(left, longestLine)))
    await this.#shell.print(ok)
    await this.#incoming.answer()
  }

  async #say(line: string): Promise<void> {
    await this.#shell.print(`${line}\n`)
    await this.#incoming.answer()
  }
}
