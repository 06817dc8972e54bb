/** Pebble, a certificate authority for tests that speaks ACME and is as awkward as the protocol lets it be. */

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { certificate, privateKey } from '../../fixtures/tls.ts'
import { freePort } from '../../kit/ports.ts'
import { findProgram, type Service, serve } from './clients.ts'

export const pebble = findProgram('pebble')

/** A key by which accounts are bound, and its id. */
export const binding = { kid: 'kid-1', key: Buffer.alloc(32, 'binding').toString('base64url') }

/** The server with Pebble as its authority, which looks for challenges at the server's name server. */
export interface AcmeRig {
  readonly service: Service
  /** Where clients find Pebble. */
  readonly directory: string
  /** The root that Pebble has made, in PEM. */
  root(): Promise<string>
  stop(): Promise<void>
}

/** How awkward Pebble is, as its own variables say it. */
export type Awkwardness = Readonly<Record<string, string>>

/** Starts both; `isBound` makes Pebble ask for a binding. */
export async function startRig(awkwardness: Awkwardness, { isBound = false } = {}): Promise<AcmeRig> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-pebble-'))
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const [port, management, api, dns] = [await freePort(), await freePort(), await freePort(), await freePort()]
  const ca = file('ca.pem', certificate)
  const directory = `https://127.0.0.1:${port}/dir`
  const config = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: ca,
    privateKey: file('key.pem', privateKey),
    httpPort: 0,
    tlsPort: 0,
    ocspResponderURL: '',
    externalAccountBindingRequired: isBound,
    externalAccountMACKeys: { [binding.kid]: binding.key },
  }
  const service = await serve('sqlite', [
    // A server that is started again is where it was.
    ...[`--listen=127.0.0.1:${api}`, `--dns-listen=127.0.0.1:${dns}`],
    ...[`--acme-directory=${directory}`, `--acme-ca-file=${ca}`, '--acme-allow-private'],
    // Pebble refuses up to nine nonces of ten.
    ...['--acme-contact=operator@example.com', '--delegation-check=off', '--acme-nonce-attempts=150'],
    ...(isBound ? [`--acme-eab-kid=${binding.kid}`, `--acme-eab-key=${binding.key}`] : []),
  ])
  const args = ['-config', file('config.json', JSON.stringify({ pebble: config })), '-dnsserver', service.dns]
  const child = spawn(pebble!, args, { env: awkwardness, stdio: 'ignore' })
  const endAtLast = () => child.kill('SIGKILL')
  process.once('exit', endAtLast)
  const root = () => fetchTrusting(`https://127.0.0.1:${management}/roots/0`)
  await untilAnswered(root)
  return {
    service,
    directory,
    root,
    async stop() {
      await service.stop()
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGTERM')
      await ended
      process.off('exit', endAtLast)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function fetchTrusting(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { ca: certificate }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () => resolve(text))
    }).on('error', reject)
  })
}

async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return void (await ask())
    } catch (error) {
      if (attempt === 200) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
