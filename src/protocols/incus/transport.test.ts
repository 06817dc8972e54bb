/** Which daemon is spoken to over TLS: the one whose certificate is known, and no other. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { selfSigned } from '../../../test/kit/samples/certificates.ts'
import { Transport, Unreachable } from './transport.ts'

test('a daemon with another certificate than the known one is told apart from one that is silent', async (t) => {
  const [daemon, other, client] = [selfSigned('cluster'), selfSigned('other'), selfSigned('wolke')]
  const server = createServer({ cert: daemon.certificate, key: daemon.private_key }, (_, response) =>
    response.end('it'),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = (serverCertificate: string) => {
    const certificates = { clientCertificate: client.certificate, clientKey: client.private_key, serverCertificate }
    const transport = new Transport({ url, certificates })
    t.after(() => transport.close())
    return transport.send('GET', '/1.0', undefined, { timeoutMs: 5_000 })
  }
  const failure = (says: RegExp) => (error: Unreachable) => {
    assert.ok(error instanceof Unreachable && error.transient)
    assert.match((error.cause as Error).message, says)
    return true
  }
  assert.equal((await ask(daemon.certificate)).text, 'it')
  await assert.rejects(ask(other.certificate), failure(/shows another certificate/))
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await assert.rejects(ask(daemon.certificate), failure(/ECONNREFUSED/))
})
