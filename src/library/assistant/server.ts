/** A server of the Model Context Protocol on standard input and output, for one assistant. */
import { once } from 'node:events'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { version } from '../../version.ts'
import { Clouds, type Tool, toolsOf } from './tools.ts'

const instructions =
  'Clouds in memory for trying out infrastructure code. Start one, write files into its folder, run terraform or hcloud ' +
  'in it, look at the result, move its time, and fork it to try something without losing the state.'

export interface AssistantOptions {
  /** The environment, of which programs get what they need to run. */
  readonly env: NodeJS.ProcessEnv
  /** A folder whose files each new cloud gets. */
  readonly files?: string
  /** Ends the server. */
  readonly signal: AbortSignal
}

/** Serves until the assistant or a signal ends it, and leaves nothing behind. */
export async function serveAssistant({ env, files, signal }: AssistantOptions): Promise<void> {
  await using clouds = new Clouds(env, files)
  const ended = new AbortController()
  const all = AbortSignal.any([signal, ended.signal])
  const server = serverWith(toolsOf(clouds), all)
  await server.connect(new StdioServerTransport())
  // The transport does not say that the other side is gone.
  const gone = once(process.stdin, 'close', { signal: all }).catch(() => undefined)
  await gone
  ended.abort()
  await server.close()
}

function problem({ keyword, instancePath, message }: TLocalizedValidationError): string {
  // Unknown arguments are forbidden by a schema that nothing fits.
  return `${instancePath.slice(1) || 'arguments'}: ${keyword === 'boolean' ? 'is not known' : message}`
}

function serverWith(tools: Readonly<Record<string, Tool>>, ended: AbortSignal): Server {
  const server = new Server({ name: 'wolke', version }, { capabilities: { tools: {} }, instructions })
  const checks = new Map(Object.entries(tools).map(([name, { input }]) => [name, Compile(input)]))
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, { description, input }]) => ({
      name,
      description,
      inputSchema: { ...input, type: 'object' as const },
    })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }, { signal }) => {
    try {
      const check = checks.get(name)
      if (!check) throw new Error(`there is no tool ${name}`)
      const [error] = check.Errors(given)
      if (error) throw new Error(problem(error))
      const result = await tools[name]!.run(given, { signal: AbortSignal.any([signal, ended]) })
      return { content: [{ type: 'text', text: JSON.stringify(result, null, 2) }] }
    } catch (error) {
      return { content: [{ type: 'text', text: (error as Error).message }], isError: true }
    }
  })
  return server
}
