/** `wolke proxy`: what it prints, what it refuses to start with, and how it ends. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { checkFailure, collect, place, start, wolke } from '../kit/wolke.ts'

interface Ran {
  readonly child: ChildProcess
  readonly texts: { readonly stdout: string; readonly stderr: string }
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>
}

async function run(t: TestContext, ...args: string[]): Promise<Ran> {
  const child = start(['proxy', '--port', '0', ...args])
  t.after(() => child.kill('SIGKILL'))
  const texts = collect(child)
  const ended = once(child, 'close').then(([code]) => code as number | null)
  while (!texts.stdout.endsWith("changeit'\n")) {
    const code = await Promise.race([once(child.stdout!, 'data').then(() => undefined), ended])
    if (code !== undefined) assert.fail(`the proxy ended with ${code}: ${texts.stderr}`)
  }
  return { child, texts, ended }
}

describe('wolke proxy', { concurrency: 3 }, () => {
  test('prints settings with which a program reaches the server', async (t) => {
    const server = createServer((request, response) => response.end(`${request.headers.host}${request.url}`))
    server.listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { directory } = await place()
    const folder = join(directory, 'the folder')
    const { child, texts, ended } = await run(
      t,
      '--to',
      to,
      '--hosts',
      'api.example,other.example',
      '--ca-folder',
      folder,
    )
    assert.ok(
      texts.stdout.startsWith(
        `https://api.example and https://other.example lead to ${to}; everything else is refused.\n`,
      ),
    )
    const settings = texts.stdout.split('\n').filter((line) => line.startsWith('  export '))
    const ask = `${settings.join('\n')}\nexec "$0" -e 'fetch("https://other.example/v1").then((r) => r.text()).then(console.log)'`
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const env = { PATH: process.env.PATH }
    execFile('sh', ['-c', ask.replace(/export JAVA.*/, ''), process.execPath], { env }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    )
    assert.equal(await promise, 'other.example/v1\n')
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
    assert.equal(texts.stderr, '')
  })

  test('keeps its authority beside the data', async (t) => {
    const { child, texts, ended } = await run(t)
    const [, file] = /SSL_CERT_FILE=(\S+)/.exec(texts.stdout)!
    assert.match(file!, /\/data\/proxy\/ca\.pem$/)
    assert.ok(existsSync(file!))
    child.kill('SIGINT')
    assert.equal(await ended, 0)
  })

  test('does not start on a port in use', async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { directory } = await place()
    const outcome = await wolke('proxy', '--port', String(port), '--ca-folder', join(directory, 'ca'))
    checkFailure(outcome, 1, new RegExp(`--port: cannot listen on 127\\.0\\.0\\.1:${port}: the port is in use`))
  })

  const wrong: [args: string[], says: RegExp][] = [
    [['--port', '65536'], /--port.*Expected a port/],
    [
      ['--to', 'http://127.0.0.1:8080/v1'],
      /--to.*Expected a server without a path, such as http:\/\/127\.0\.0\.1:8080/,
    ],
    [['--to', 'ftp://127.0.0.1'], /--to.*Expected a server/],
    [['--to', 'http://me:secret@127.0.0.1'], /--to.*Expected a server/],
    [['--hosts', 'api.example,*.example'], /--hosts.*\*\.example: expected a domain name/],
    [['--ca-folder', '/dev/null'], /--ca-folder: \/dev\/null is something else already/],
    [['frobnicate'], /too many arguments/],
  ]
  for (const [args, says] of wrong) {
    test(`refuses ${args.join(' ')}`, async () => checkFailure(await wolke('proxy', ...args), 2, says))
  }
})
