/** `wolke health` asks the server on this machine how it is, for supervisors that run a command to find out. */
import { once } from 'node:events'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { type Config, serveOptions } from '../config/config.ts'
import { nameOf } from '../config/names.ts'
import { hostAndPort, reachedAt } from '../protocols/net/listen-address.ts'
import { CommandFailure } from './failure.ts'
import { oneLine } from './output.ts'

/** The most time that the server has to answer, in milliseconds. */
const answerMs = 5_000

/** The options that say where the server listens, and whether it speaks HTTPS there. */
const needed: readonly string[] = ['listen', 'tls-cert']

export function healthCommand(): Command {
  const command = new Command('health').description(
    'ask the server on this machine how it is, as GET /health does; 1 is the exit code unless it is well',
  )
  for (const option of serveOptions().filter((one) => needed.includes(nameOf(one)))) command.addOption(option)
  return command.action(async (options: Pick<Config, 'listen' | 'tlsCert'>) => {
    const at = reachedAt(options.listen)
    const { status, body } = await ask(at, options.tlsCert !== undefined)
    if (status !== 200) throw new CommandFailure(`${hostAndPort(at)} answers with ${status}: ${body}`)
    console.log(body)
  })
}

/** Errors: `CommandFailure` when nobody answers. */
async function ask(at: Config['listen'], isTls: boolean): Promise<{ readonly status: number; readonly body: string }> {
  const { host, port } = at
  const options = { host, port, path: '/health', agent: false, signal: AbortSignal.timeout(answerMs) }
  // The certificate is made for the name of callers, and nothing secret is sent.
  const request = isTls ? tlsRequest({ ...options, rejectUnauthorized: false }) : plainRequest(options)
  try {
    const [response] = (await once(request.end(), 'response')) as [IncomingMessage]
    return { status: response.statusCode!, body: oneLine(await text(response)).slice(0, 1_000) }
  } catch (error) {
    const { name, message } = error as Error
    const why = name === 'AbortError' ? `no answer within ${answerMs / 1_000} s` : message
    throw new CommandFailure(`${hostAndPort(at)} does not answer: ${why}`)
  }
}
