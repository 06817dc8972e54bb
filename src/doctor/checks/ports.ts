/** Does each listener that the server was told of answer? Without a server: could it listen there? */
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { connect, createServer } from 'node:net'
import { failure, fine, reasonOf, type Seen, unknown } from '../../kernel/process/seen.ts'
import { hostAndPort, reachedAt } from '../../protocols/net/listen-address.ts'
import type { Listener, Patient, Speech } from '../patient.ts'

/** The most time that one listener has to answer, in milliseconds. */
const answerMs = 5_000

export async function checkPorts(patient: Patient): Promise<readonly Seen[]> {
  const { listeners, isServing, doorsClosed } = patient
  const isServed = isServing || (await servesSomebody(patient))
  const seen = await Promise.all(listeners.map((one) => (isServing ? answers(one) : isFree(one, isServed))))
  const closed = doorsClosed === undefined ? [] : [fine('doors of Storage Boxes', `closed: ${doorsClosed}`)]
  return [...seen, ...closed]
}

/** Whether a server runs that could not be asked. A database that is away is told of by the other checks. */
async function servesSomebody({ open, processes }: Patient): Promise<boolean> {
  const running = await open()
    .then(processes)
    .catch(() => [])
  return running.length > 0
}

const ask: Readonly<Record<Speech, (at: Listener) => Promise<string>>> = {
  api: (at) => overHttp(at, '/health/reads'),
  http: (at) => overHttp(at, '/'),
  dns: overDns,
  ssh: overSsh,
}

async function answers(listener: Listener): Promise<Seen> {
  const subject = `${listener.name} (${hostAndPort(listener)})`
  try {
    return fine(subject, await ask[listener.speaks]({ ...listener, ...reachedAt(listener) }))
  } catch (error) {
    const advice = `see the log of the server, and whether something is between: ${listener.option} says where it listens`
    return failure(subject, `does not answer: ${reasonOf(error)}`, advice)
  }
}

/** The certificate is looked at elsewhere, and is made for the name of callers. */
function overHttp({ host, port, isTls }: Listener, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const options = { host, port, path, timeout: answerMs, agent: false }
  const request = isTls ? tlsRequest({ ...options, rejectUnauthorized: false }) : plainRequest(options)
  request
    .on('response', (response) => {
      response.resume()
      resolve(`answers over ${isTls ? 'HTTPS' : 'HTTP'}`)
    })
    .on('timeout', () => request.destroy(new Error(`no answer within ${answerMs / 1_000} s`)))
    .on('error', reject)
    .end()
  return promise
}

/** Names that it does not serve are refused, which is an answer. */
const answered = new Set(['EREFUSED', 'ENOTFOUND', 'ENODATA', 'ESERVFAIL'])

async function overDns(at: Listener): Promise<string> {
  const resolver = new Resolver({ timeout: answerMs / 2, tries: 2 })
  resolver.setServers([hostAndPort(at)])
  try {
    await resolver.resolveSoa('health.invalid')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!answered.has(code)) throw new Error(`over UDP: ${code}`, { cause: error })
  }
  await overTcp(at)
  return 'answers over UDP and TCP'
}

async function overTcp({ host, port }: Listener): Promise<void> {
  const socket = connect({ host, port })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(answerMs) })
  } finally {
    socket.destroy()
  }
}

async function overSsh({ host, port }: Listener): Promise<string> {
  const socket = connect({ host, port })
  try {
    const [greeting] = (await once(socket, 'data', { signal: AbortSignal.timeout(answerMs) })) as [Buffer]
    const [line = ''] = greeting.toString('latin1').split('\r\n')
    if (!line.startsWith('SSH-2.0-')) throw new Error('what answers there does not speak SSH')
    return 'answers over SSH'
  } finally {
    socket.destroy()
  }
}

/** Without a server, a port that somebody else has is what keeps it from starting. One that runs is asked for an answer. */
async function isFree(listener: Listener, isServed: boolean): Promise<Seen> {
  const { name, option, host, port } = listener
  const subject = `${name} (${hostAndPort(listener)})`
  if (port === 0) return unknown(subject, 'is found when the server starts', null)
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
    return unknown(subject, 'nobody listens there', 'start wolke serve')
  } catch (error) {
    if (isServed && (error as NodeJS.ErrnoException).code === 'EADDRINUSE') return await answers(listener)
    const seen = `wolke serve could not listen there: ${reasonOf(error)}`
    return failure(subject, seen, `end what has the port, or let ${option} name another`)
  } finally {
    server.close()
  }
}
