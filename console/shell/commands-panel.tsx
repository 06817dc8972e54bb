/** Writes requests for each client: the command line first, then curl, which can send anything, then Terraform. */
import { useQueryClient } from '@tanstack/react-query'
import { useProjectId } from '../api/api.ts'
import { type AnyRequest, operationOf } from '../api/operations.ts'
import { toCurl } from '../commands/curl.ts'
import { toHcloud } from '../commands/hcloud/render.ts'
import { masked } from '../commands/mask.ts'
import type { Rendered } from '../commands/request.ts'
import { toTerraform, toTerraformImport } from '../commands/terraform/render.ts'
import { colored } from '../ui/colored.ts'
import { type Command, Night } from '../ui/night.tsx'
import { common } from '../words/en/common.ts'
import { wordsOf } from '../words/words.ts'
import { type Known, knownResource } from './known-resource.ts'

const w = wordsOf('common', common)
/** More of the same would only be scrolled past. */
const mostShown = 20

interface PanelProps {
  readonly request: AnyRequest | readonly AnyRequest[]
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly footer?: string
  readonly label?: string | undefined
}

export function CommandsPanel({ request, labels, footer, label }: PanelProps) {
  const cache = useQueryClient()
  const project = useProjectId()
  const all = (Array.isArray(request) ? request : [request]) as readonly AnyRequest[]
  const clients = { hcloud, curl, Terraform: terraform } as const
  const commands = Object.entries(clients).map(([client, render]) => {
    const texts = all
      .slice(0, mostShown)
      .map((one) => render(one, { labels, known: knownResource(cache, project, one) }))
    const more = all.length > mostShown ? `\n# ${w.andMore(all.length - mostShown)}` : ''
    return { client, pieces: colored([...new Set(texts)].join('\n') + more) } satisfies Command
  })
  return <Night label={label} commands={commands} {...(footer ? { footer } : {})} />
}

interface Context {
  readonly labels: Readonly<Record<string, string>> | undefined
  /** What the page knows of the resource that the request is about. */
  readonly known: Known | undefined
}

function askedOf({ operation, params = {}, query = {}, body }: AnyRequest) {
  return masked({ operation, params, query, body })
}

function hcloud(request: AnyRequest, { labels }: Context): string {
  return written(() => toHcloud(askedOf(request), { labels }))
}

function curl(request: AnyRequest): string {
  const row = operationOf(request.operation)
  const endpoint = `${window.location.origin}${row.base || '/v1'}`
  return written(() => toCurl(askedOf(request), row, { endpoint }))
}

/** What makes something, as a resource; for what is there already, the block that takes it over. */
function terraform(request: AnyRequest, { known }: Context): string {
  const text = written(() => toTerraform(askedOf(request)))
  const taken = known && text.startsWith('# ') ? toTerraformImport(known.family, known) : undefined
  return taken ? `${text}\n\n${taken}` : text
}

/** A form that is half filled in may have no command yet. */
function written(render: () => Rendered): string {
  try {
    const rendered = render()
    return 'text' in rendered ? rendered.text : `# ${rendered.reason}`
  } catch {
    return `# ${w.noCommand}`
  }
}
