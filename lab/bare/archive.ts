/**
 * Debian's archive for hosts without a way out: a proxy for apt that keeps what it was asked for while the lab was built, and
 * knows nothing else later. So hosts have the sources, signatures and packages of any Debian.
 */
import { execFile } from 'node:child_process'
import { createReadStream, existsSync, mkdirSync, renameSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

export interface ArchiveServer {
  readonly port: number
  close(): Promise<void>
}

export interface ArchiveOptions {
  /** The address that it listens on, 127.0.0.1 by default. */
  readonly host?: string
  /** 0 by default, which is a free one. */
  readonly port?: number
  /** True when apt of this machine fetches what is not there. */
  readonly isRecording?: boolean
}

/** Serves what a folder keeps by URL. */
export async function serveArchive(
  folder: string,
  { host = '127.0.0.1', port = 0, isRecording = false }: ArchiveOptions,
): Promise<ArchiveServer> {
  const server = createServer((request, response) => {
    answer(folder, request.url!, isRecording, response).catch((error: Error) => response.destroy(error))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    port: (server.address() as { port: number }).port,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(folder: string, url: string, isRecording: boolean, response: ServerResponse): Promise<void> {
  const { host, pathname } = new URL(url)
  const path = join(folder, host, pathname)
  if (isRecording && !existsSync(path)) await fetchTo(path, url)
  if (!existsSync(path)) {
    response.writeHead(404, { 'content-length': 0 }).end()
    return
  }
  response.writeHead(200, { 'content-length': (await stat(path)).size })
  createReadStream(path).pipe(response)
}

/** What the archive does not have, such as indexes of other kinds, is not there later either. */
async function fetchTo(path: string, url: string): Promise<void> {
  const unfinished = `${path}.unfinished`
  mkdirSync(dirname(path), { recursive: true })
  try {
    await promisify(execFile)('/usr/lib/apt/apt-helper', ['download-file', url, unfinished])
  } catch (error) {
    if (/404/.test((error as { stderr?: string }).stderr ?? '')) return
    throw error
  }
  renameSync(unfinished, path)
}
