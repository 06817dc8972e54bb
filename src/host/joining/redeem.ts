/** A further host's side of joining: it makes its key, asks the first host with the token, and keeps what it is given. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { request as tlsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import type { Joined } from '../decisions.ts'
import { SetupRefused } from '../decisions.ts'
import { authorityFolder, folder } from '../paths.ts'
import type { Shell } from '../shell.ts'
import type { Applicant } from './offer.ts'
import { type JoinToken, readToken } from './token.ts'

/** The time that the first host has for an answer, in milliseconds: Incus asks all its members. */
const answerMs = 120_000

export const digestOf = (token: string) => createHash('sha256').update(token).digest('hex')

/** What is known of a token before it is used. Errors: `SetupRefused`. */
export function unasked(token: string): Joined {
  const { address } = readToken(token, Date.now())
  const later = '(what the first host says)'
  const uplink = { device: '', own: [], gateway4: '', gateway6: '', range4: '', pool4: later, pool6: later }
  return {
    ...{ central: address, clusterToken: later, certificate: later, authority: later, members: [address] },
    ...{ uplink, token: digestOf(token) },
  }
}

/** Asks the first host. Errors: `SetupRefused` in words for a token that is used, over, or of nobody. */
export async function redeem(shell: Shell, token: string, name: string, address: string): Promise<Joined> {
  const parsed = readToken(token, Date.now())
  const applicant = { name, address, request: await makeRequest(shell, name) }
  const given = await ask(parsed, applicant)
  return { ...given, token: digestOf(token) }
}

/** The key stays where it is made. One that is there from a first try is taken again. */
async function makeRequest(shell: Shell, name: string): Promise<string> {
  const script = `set -eu
install -d -m 755 /etc/wolke ${folder}
install -d -m 700 ${authorityFolder}
cd ${authorityFolder}
umask 077
[ -e "$1.key" ] || openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"
openssl req -new -key "$1.key" -subj "/CN=$1"
`
  if (!existsSync('/usr/bin/openssl'))
    await shell.script('openssl', 'apt-get update -q\napt-get install -q -y openssl\n', [])
  const output = await shell.script('request', script, [name])
  return `${output.slice(output.indexOf('-----BEGIN'))}\n`
}

function ask({ address, port, fingerprint, secret }: JoinToken, applicant: Applicant): Promise<Omit<Joined, 'token'>> {
  return new Promise((resolve, reject) => {
    const request = tlsRequest({
      // The first host signs for the address that asks alone.
      localAddress: applicant.address,
      ...{ host: address, port, method: 'POST', path: '/', agent: false, timeout: answerMs },
      headers: { authorization: `Bearer ${secret}` },
      // The fingerprint of the token tells more than any authority.
      rejectUnauthorized: false,
    })
    request.once('socket', (socket) => {
      socket.once('secureConnect', () => {
        const shown = (socket as TLSSocket).getPeerCertificate().fingerprint256?.replaceAll(':', '').toLowerCase()
        // Nothing was sent yet: a request without its end waits for it.
        if (shown === fingerprint) request.end(JSON.stringify(applicant))
        else request.destroy(new SetupRefused(`--join: ${address} is not the host that made the token`))
      })
    })
    request.once('timeout', () => request.destroy(new Error(`${address} does not answer`)))
    request.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ECONNREFUSED' ? nobody(address, port) : error),
    )
    request.once('response', async (response) => {
      const body = await text(response)
      if (response.statusCode === 200) resolve(JSON.parse(body) as Joined)
      else reject(new SetupRefused(`--join: the first host refuses: ${messageIn(body)}`))
    })
  })
}

const nobody = (address: string, port: number) =>
  new SetupRefused(
    `--join: nobody waits at ${address}:${port}: the token was used, or wolke host token was ended there`,
  )

function messageIn(body: string): string {
  try {
    return String((JSON.parse(body) as { message?: unknown }).message)
  } catch {
    return body.slice(0, 200)
  }
}
