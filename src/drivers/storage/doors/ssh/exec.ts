/** A session runs one command of those that a box serves. No shell ever sees it. */
import { once } from 'node:events'
import type { ServerChannel } from 'ssh2'
import type { Account } from '../accounts.ts'
import { begun } from '../begun.ts'
import { Files } from '../files.ts'
import { quotaWords, take } from '../ledger.ts'
import { roomOf } from '../room.ts'
import type { Unfinished } from '../webdav/unfinished.ts'
import { atEnd, complain, connect, endOf, finish, hasEnded, inputOf } from './channels.ts'
import type { Shell } from './commands/command.ts'
import { borg, type Program, Refused, rsync, startInJail } from './commands/programs.ts'
import { commands } from './commands/table.ts'
import { wordsOf } from './commands/words.ts'
import { serveSftp } from './sftp-session.ts'

const programs: Readonly<Record<string, (words: readonly string[]) => Program>> = { rsync, borg }

/** Clients of `rclone` send this to find out what kind of shell there is; they take a refusal for "no checksums". */
const echo = /^echo (.*)$/s

/** Notes a public key of an account. Returns undefined, or why not. */
export type InstallKey = (account: Account, key: string) => Promise<string | undefined>

export interface CommandServices {
  readonly installKey: InstallKey
  readonly unfinished: Unfinished
}

/** Serves a channel until it ends. Errors: `Refused`, `NotWords`, those of starting programs; before anything was served. */
export async function runCommand(
  channel: ServerChannel,
  account: Account,
  command: string,
  { installKey, unfinished }: CommandServices,
): Promise<void> {
  const [, echoed] = echo.exec(command) ?? []
  if (echoed !== undefined) return finish(channel, 0, `${echoed}\n`)
  const [path = 'help', ...words] = wordsOf(command)
  const name = path.split('/').pop()!
  if (name === 'sftp-server') return serveSftp(channel, account)
  if (name === 'install-ssh-key') return install(channel, account, installKey)
  const program = Object.hasOwn(programs, name) ? programs[name] : undefined
  if (program && account.place.isUnconfined) throw new Refused(`${name} is not served where programs are not confined`)
  if (program) return runProgram(channel, account, program(words))
  const own = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!own) throw new Refused(`${name}: this command is not served; \`help\` lists those that are`)
  const files = await Files.open(account)
  atEnd(channel, () => files.close())
  if (hasEnded(channel)) return
  const begin = (folder: string) => unfinished.begin(account, folder)
  const shell: Shell = { ...shellOf(channel, files, account), begin }
  try {
    finish(channel, await own(shell, words))
  } catch (error) {
    complain(channel, `${name}: ${(error as Error).message}\n`)
    finish(channel, 1)
  } finally {
    files.close()
  }
}

function shellOf(channel: ServerChannel, files: Files, { place }: Account): Omit<Shell, 'begin'> {
  return {
    files,
    room: () => roomOf(place, files),
    input: inputOf(channel),
    print: async (text) => {
      if (hasEnded(channel) || !channel.writable) throw new Error('the client is gone')
      if (!channel.write(text)) await once(channel, 'drain', { signal: endOf(channel) })
    },
    complain: (text) => complain(channel, `${text}\n`),
  }
}

async function runProgram(channel: ServerChannel, account: Account, program: Program): Promise<void> {
  const { prisoner, first } = await startInJail(program, account)
  const { child, stdin, stdout, stderr } = await begun(prisoner, account)
  const { ledger } = account.place
  connect(channel, prisoner)
  if (first.length > 0) channel.write(first)
  if (ledger) {
    // The program may write as much as comes in, as far as can be seen from here; the store counts what it really takes.
    child.once('close', () => ledger.changed())
    channel.on('data', (chunk: Buffer) => {
      // Nobody says when it has written them.
      if (take(ledger, chunk.length)) return ledger.written(chunk.length)
      complain(channel, `${quotaWords}\n`)
      child.kill('SIGKILL')
    })
  }
  channel.pipe(stdin)
  stdout.pipe(channel, { end: false })
  stderr?.on('data', (chunk: Buffer) => complain(channel, chunk))
}

const longestKey = 16 * 1024

async function install(channel: ServerChannel, account: Account, installKey: InstallKey): Promise<void> {
  let text = ''
  for await (const chunk of inputOf(channel)) {
    text += chunk.toString('utf8')
    if (text.length > longestKey) throw new Refused('this is too long for a key')
  }
  for (const line of text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))) {
    const problem = await installKey(account, line.trim())
    if (problem !== undefined) throw new Refused(problem)
  }
  finish(channel, 0, 'the key is installed\n')
}
