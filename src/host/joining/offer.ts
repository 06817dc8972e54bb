/**
 * The first host's side of joining. It waits with a TLS server of its own for one host that knows the secret, signs the
 * certificate of that host, and gives it what it needs. The key of the authority never leaves this machine.
 */
import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { isIPv4 } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Decided, type Joined, SetupRefused } from '../decisions.ts'
import { authorityFolder } from '../paths.ts'
import type { Shell } from '../shell.ts'
import { type JoinToken, newSecret } from './token.ts'

/** Where the first host waits for a further one. */
export const joinPort = 8_444
/** The most bytes of a request. */
const mostBytes = 16_384

/** What a further host says of itself. */
export interface Applicant {
  readonly name: string
  readonly address: string
  /** The request for a certificate of its own key, in PEM. */
  readonly request: string
}

/** A token that waits for its host. */
export interface Offer {
  readonly token: JoinToken
  /** The host that has used the token; it is answered as `admit` says. */
  readonly taken: Promise<Applicant>
  close(): void
}

/** Waits for one host. `admit` makes what it is given; its errors go to that host, and the token stays good. */
export async function makeOffer(
  { name, underlay }: Decided,
  expires: number,
  admit: (applicant: Applicant) => Promise<Omit<Joined, 'token'>>,
): Promise<Offer> {
  const [cert, key] = ['crt', 'key'].map((end) => readFileSync(`${authorityFolder}/${name}.${end}`, 'utf8'))
  const fingerprint = new X509Certificate(cert!).fingerprint256.replaceAll(':', '').toLowerCase()
  const token = { address: underlay.address, port: joinPort, fingerprint, secret: newSecret(), expires }
  const { promise: taken, resolve } = Promise.withResolvers<Applicant>()
  let isBusy = false
  const server = createServer({ cert, key }, (request, response) => {
    answer(request, response).catch((error: Error) =>
      reply(response, error instanceof SetupRefused ? 422 : 500, { message: error.message }),
    )
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isSecret(request.headers.authorization, token.secret))
      return reply(response, 401, { message: 'another token is waited for' })
    const applicant = applicantIn(await bodyOf(request))
    if (typeof applicant === 'string') return reply(response, 422, { message: applicant })
    // A token is good for the machine that asks, and for no address of another one.
    if (applicant.address !== request.socket.remoteAddress) {
      return reply(response, 422, { message: `address: it is ${request.socket.remoteAddress} that asks` })
    }
    if (isBusy) return reply(response, 409, { message: 'the token is used already' })
    isBusy = true
    try {
      reply(response, 200, await admit(applicant))
      response.once('close', () => resolve(applicant))
    } catch (error) {
      isBusy = false
      throw error
    }
  }
  await listening(server, token)
  return {
    token,
    taken,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function listening(server: Server, { address, port }: JoinToken): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, resolve)
  })
}

const digest = (text: string) => createHash('sha256').update(text).digest()

const isSecret = (given: string | undefined, secret: string) =>
  timingSafeEqual(digest(given ?? ''), digest(`Bearer ${secret}`))

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body))
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk
    if (text.length > mostBytes) throw new SetupRefused('the request is too long')
  }
  return text
}

/** What a request says, or what is wrong with it. */
function applicantIn(text: string): Applicant | string {
  let given: Partial<Applicant>
  try {
    given = JSON.parse(text) as Partial<Applicant>
  } catch {
    return 'the request is no JSON'
  }
  const { name, address, request } = given ?? {}
  if (typeof name !== 'string' || !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(name))
    return 'name: expected that of a host'
  if (typeof address !== 'string' || !isIPv4(address)) return 'address: expected an IPv4 address'
  if (typeof request !== 'string' || !request.startsWith('-----BEGIN CERTIFICATE REQUEST-----')) {
    return 'request: expected a request for a certificate in PEM'
  }
  return { name, address, request }
}

/**
 * Signs the certificate of a further host, for its name and address alone. Errors: `SetupRefused` for what is no request, and one
 * with what openssl said.
 */
export async function sign(shell: Shell, { name, address, request }: Applicant): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-join-'))
  try {
    const file = join(folder, 'request.pem')
    writeFileSync(file, request)
    if (!(await shell.succeeds('openssl', 'req', '-verify', '-noout', '-in', file)))
      throw new SetupRefused('request: it is none that its own key has signed')
    const text = `cd "$1"
printf 'subjectAltName=DNS:%s,IP:%s\\nextendedKeyUsage=serverAuth,clientAuth\\n' "$2" "$3" >extensions
openssl x509 -req -in request.pem -CA "$4/ca.crt" -CAkey "$4/ca.key" -CAserial "$4/ca.srl" -CAcreateserial \\
  -subj "/CN=$2" -days 3650 -extfile extensions -out signed.pem
`
    await shell.script('sign', `set -eu\n${text}`, [folder, name, address, authorityFolder])
    return readFileSync(join(folder, 'signed.pem'), 'utf8')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The certificate of the authority. */
export function authority(): string {
  const path = `${authorityFolder}/ca.crt`
  if (!existsSync(path)) throw new Error('only the first host can let others join')
  return readFileSync(path, 'utf8')
}
