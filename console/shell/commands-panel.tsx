/** Writes a request for each client: the command line first, then curl, which can send anything. */
import { type AnyRequest, operationOf } from '../api/operations.ts'
import { toCurl } from '../commands/curl.ts'
import { toHcloud } from '../commands/hcloud/render.ts'
import type { Rendered } from '../commands/request.ts'
import { colored } from '../ui/colored.ts'
import { type Command, Night } from '../ui/night.tsx'
import { common } from '../words/en/common.ts'
import { wordsOf } from '../words/words.ts'

const w = wordsOf('common', common)

interface PanelProps {
  readonly request: AnyRequest
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly footer?: string
}

export function CommandsPanel({ request, labels, footer }: PanelProps) {
  const row = operationOf(request.operation)
  const asked = { ...request, params: request.params ?? {}, query: request.query ?? {} }
  const endpoint = `${window.location.origin}${row.base || '/v1'}`
  const commands = [
    command('hcloud', () => toHcloud(asked, { labels })),
    command('curl', () => toCurl(asked, row, { endpoint })),
  ]
  return <Night commands={commands} {...(footer ? { footer } : {})} />
}

/** A form that is half filled in may have no command yet. */
function command(client: string, render: () => Rendered): Command {
  const comment = (text: string): Command => ({ client, pieces: [{ text: `# ${text}`, kind: 'comment' }] })
  try {
    const rendered = render()
    return 'reason' in rendered ? comment(rendered.reason) : { client, pieces: colored(rendered.text) }
  } catch {
    return comment(w.noCommand)
  }
}
