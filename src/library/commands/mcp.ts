/** `wolke mcp` gives an assistant clouds that are thrown away. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { handedOn } from '../../config/config.ts'

export function mcpCommand(): Command {
  return new Command('mcp')
    .description('serve an assistant on standard input and output, by the Model Context Protocol')
    .addOption(
      new Option('--files <folder>', 'folder whose files each cloud gets, without states and values').argParser(folder),
    )
    .action(async ({ files }: { readonly files?: string }) => {
      const ended = new AbortController()
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ended.abort())
      // Loaded only here, to keep other commands fast.
      const { serveAssistant } = await import('../assistant/server.ts')
      await serveAssistant({ env: handedOn(), signal: ended.signal, ...(files === undefined ? {} : { files }) })
    })
}

function folder(text: string): string {
  if (!existsSync(text)) throw new InvalidArgumentError(`There is no folder ${text}.`)
  return resolve(text)
}
