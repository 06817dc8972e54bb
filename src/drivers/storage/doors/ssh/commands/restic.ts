/**
 * Does what `rclone serve restic --stdio` does, on the file layer: the REST protocol of restic's backends, as HTTP/2 on the
 * channel. `--append-only` refuses to remove anything but locks.
 */
import { createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { Duplex } from 'node:stream'
import { send } from '../../drained.ts'
import { type Files, isForbidden, isMissing } from '../../files.ts'
import { quotaWords, spaceWords } from '../../ledger.ts'
import { removeTemporary } from '../../webdav/unfinished.ts'
import { type Command, type Shell, within } from './command.ts'
import { parseOptions } from './words.ts'

const kinds = new Set(['data', 'index', 'keys', 'locks', 'snapshots'])
const listed = 'application/vnd.x.restic.rest.v2'

/** A file of a repository. Data is in folders by the first two letters of its names. */
interface RepositoryFile {
  readonly kind: string
  readonly name: string
}

export const serveRestic: Command = async (shell, words) => {
  const { options, rest } = parseOptions(words, 'v', [
    'stdio',
    'append-only',
    'b2-hard-delete',
    'private-repos',
    'verbose',
  ])
  const [first, second, path = '.'] = rest
  if (first !== 'serve' || second !== 'restic' || !options.has('stdio')) {
    shell.complain('rclone: only `rclone serve restic --stdio PATH` is served')
    return 1
  }
  const repository = new Repository(shell, path, options.has('append-only'))
  const answers = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const answer = repository.answer(request, response).finally(() => answers.delete(answer))
    answers.add(answer)
  })
  const stream = streamOf(shell)
  await new Promise<void>((resolve) => {
    server.once('session', (session) => session.once('close', resolve))
    server.on('sessionError', () => stream.destroy())
    stream.once('close', resolve)
    server.emit('connection', stream)
  })
  stream.destroy()
  // What a lost connection has cut is removed, or noted to be, before this is over.
  await Promise.all(answers)
  return 0
}

/** The channel as a stream that HTTP/2 can be spoken on. */
function streamOf(shell: Shell): Duplex {
  const input = shell.input[Symbol.asyncIterator]()
  const stream: Duplex = new Duplex({
    read: () => {
      input.next().then(
        // Nothing that is under way can be finished by a client that says no more.
        ({ done, value }) => (done ? stream.destroy() : stream.push(value)),
        (error: Error) => stream.destroy(error),
      )
    },
    write: (chunk: Buffer, _, done) => {
      shell.print(chunk).then(() => done(), done)
    },
  })
  stream.on('error', () => undefined)
  return stream
}

class Repository {
  readonly #files: Files
  readonly #begin: Shell['begin']
  readonly #path: string
  readonly #isAppendOnly: boolean

  constructor({ files, begin }: Shell, path: string, isAppendOnly: boolean) {
    this.#files = files
    this.#begin = begin
    this.#path = path
    this.#isAppendOnly = isAppendOnly
  }

  async answer(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    response.on('error', () => undefined)
    try {
      await this.#run(request, response)
    } catch (error) {
      const words = (error as Error).message
      const hasNoRoom = words === quotaWords || words === spaceWords
      const status = isMissing(error) ? 404 : isForbidden(error) ? 403 : hasNoRoom ? 507 : 500
      if (response.headersSent) response.stream.close()
      else {
        response.writeHead(status)
        response.end(words)
      }
    }
  }

  async #run(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url, 'http://box/')
    const done = (status: number) => {
      response.writeHead(status)
      response.end()
    }
    if (pathname === '/' && request.method === 'POST' && searchParams.get('create') === 'true') {
      for (const kind of kinds) await this.#files.mkdirs(within(this.#path, kind))
      return done(200)
    }
    const [, kind = '', name = ''] = /^\/([a-z]+)(?:\/([0-9a-f]*))?$/.exec(pathname) ?? []
    if (kinds.has(kind) && name === '' && request.method === 'GET') return this.#list(kind, response)
    if (kind === 'config' ? name !== '' : !kinds.has(kind) || name === '') return done(404)
    return this.#serve({ kind, name }, request, response)
  }

  #pathOf({ kind, name }: RepositoryFile): string {
    if (kind === 'config') return within(this.#path, 'config')
    const folder = within(this.#path, kind)
    return within(kind === 'data' ? within(folder, name.slice(0, 2)) : folder, name)
  }

  async #list(kind: string, response: Http2ServerResponse): Promise<void> {
    const found: { name: string; size: number }[] = []
    const look = async (folder: string): Promise<void> => {
      for await (const entries of this.#files.list(folder)) {
        for (const { name, size, kind: what } of entries) {
          if (what === 'directory') await look(within(folder, name))
          else if (/^[0-9a-f]+$/.test(name)) found.push({ name, size })
        }
      }
    }
    await look(within(this.#path, kind))
    response.writeHead(200, { 'content-type': listed })
    response.end(JSON.stringify(found))
  }

  async #serve(place: RepositoryFile, request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const path = this.#pathOf(place)
    if (request.method === 'GET' || request.method === 'HEAD') {
      const { size } = await this.#files.stat(path)
      const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(`${request.headers.range ?? ''}`) ?? []
      const start = Number(first ?? 0)
      const end = last ? Math.min(size, Number(last) + 1) : size
      const range = first === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` }
      response.writeHead(first === undefined ? 200 : 206, { 'content-length': `${Math.max(0, end - start)}`, ...range })
      if (request.method === 'GET') {
        for await (const bytes of this.#files.read(path, start, end)) {
          if (!(await send(response.stream, bytes))) return
        }
      }
      response.end()
      return
    }
    const status =
      request.method === 'POST' ? await this.#save(path, request) : await this.#remove(place, path, request)
    response.writeHead(status)
    response.end()
  }

  /** A file is there when it is whole, and on disk when that is said. */
  async #save(path: string, request: Http2ServerRequest): Promise<number> {
    if (this.#isAppendOnly && (await this.#files.find(path))) return 403
    const folder = path.slice(0, path.lastIndexOf('/'))
    await this.#files.mkdirs(folder)
    const { stream } = request
    const temporary = this.#begin(folder)
    try {
      const options = { isNew: true, isSynced: true, mode: 0o600 }
      const length = await this.#files.write(temporary.path, request as AsyncIterable<Buffer>, options)
      const announced = request.headers['content-length']
      const isShort = announced !== undefined && Number(announced) !== length
      // A stream that is cut ends like one that is whole.
      if (isShort || request.aborted || stream.destroyed) throw new Error('it ends too soon')
      await this.#files.renameDurably(temporary.path, path)
      temporary.end()
    } catch (error) {
      await removeTemporary(this.#files, temporary)
      throw error
    }
    return 200
  }

  async #remove({ kind }: RepositoryFile, path: string, { method }: Http2ServerRequest): Promise<number> {
    if (method !== 'DELETE') return 405
    if (this.#isAppendOnly && kind !== 'locks') return 403
    await this.#files.remove(path)
    return 200
  }
}
