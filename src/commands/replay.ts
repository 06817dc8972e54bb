/** `wolke replay` sends recorded requests again, and tells what is answered differently. */
import { readFileSync } from 'node:fs'
import { Command, InvalidArgumentError, Option } from 'commander'
import { CommandFailure } from './failure.ts'

interface ReplaySettings {
  readonly endpoint: string
  readonly token: string
  readonly wait: number
}

export function replayCommand(): Command {
  return new Command('replay')
    .description('send the requests of a HAR file again, and show what is answered differently')
    .argument('<file>', 'a HAR file, such as a lab gives of a run')
    .addOption(
      new Option('--endpoint <url>', 'base URL to which the requests go').argParser(baseUrl).makeOptionMandatory(),
    )
    .addOption(
      new Option('--token <token>', 'token with which they are sent').env('HCLOUD_TOKEN').makeOptionMandatory(),
    )
    .addOption(
      new Option('--wait <seconds>', 'how long a read is repeated until its answer is the recorded one')
        .argParser(seconds)
        .default(10),
    )
    .action((file: string, settings: ReplaySettings) => replayFile(file, settings))
}

function baseUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text
  throw new InvalidArgumentError('Expected a base URL, such as that of the ready file.')
}

function seconds(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('Expected a number of seconds.')
  return Number(text)
}

async function replayFile(file: string, { endpoint, token, wait }: ReplaySettings): Promise<void> {
  // Loaded only here, to keep the start of a server fast.
  const [{ readHar }, { linesOf, replay }] = await Promise.all([
    import('../lab/report/replay/har-file.ts'),
    import('../lab/report/replay/replay.ts'),
  ])
  const steps = readSteps(file, readHar)
  const counts = { sent: 0, skipped: 0, different: 0 }
  try {
    for await (const outcome of replay(steps, { endpoint, token, waitMs: wait * 1_000 })) {
      for (const line of linesOf(outcome)) console.log(line)
      if (outcome.skipped === undefined) counts.sent++
      else counts.skipped++
      if (outcome.differences.length > 0) counts.different++
    }
  } catch (error) {
    throw new CommandFailure(`--endpoint: ${reasonOf(error)}`)
  }
  console.log(`${counts.sent} requests sent, ${counts.skipped} not sent, ${counts.different} answered differently`)
  if (counts.different > 0) process.exitCode = 1
}

function readSteps<T>(file: string, read: (text: string) => T): T {
  try {
    return read(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandFailure(`${file}: ${reasonOf(error)}`, 2)
  }
}

/** The reason of a failed connection is the cause of the error of fetch. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error ? cause.message : message
}
