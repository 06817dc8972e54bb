/** Writes requests for each client: the command line first, then curl, which can send anything, then Terraform. */
import { useQueryClient } from '@tanstack/react-query'
import { useProjectId } from '../api/api.ts'
import { type AnyRequest, type OperationId, operationOf } from '../api/operations.ts'
import { toCurl } from '../commands/curl.ts'
import { toHcloud } from '../commands/hcloud/render.ts'
import { masked } from '../commands/mask.ts'
import type { Reason, Rendered } from '../commands/request.ts'
import { providerBlock } from '../commands/terraform/provider.ts'
import { toTerraform, toTerraformImport } from '../commands/terraform/render.ts'
import { apiForPrograms, exportedEndpoints, originForPrograms } from '../lib/endpoint.ts'
import { Night } from '../ui/night.tsx'
import { commands as english } from '../words/en/commands.ts'
import { common } from '../words/en/common.ts'
import { wordsOf } from '../words/words.ts'
import { type Known, knownResource } from './known-resource.ts'

const w = wordsOf('common', common)
const words = wordsOf('commands', english)
const r = words.reasons
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
  const commands = clientsFor(all).map(([client, render]) => {
    const rendered = all
      .slice(0, mostShown)
      .map((one) => finished(() => render(one, { labels, known: knownResource(cache, project, one) })))
    const reasons = rendered.flatMap((one) => ('reason' in one ? [one.reason] : []))
    if (reasons[0] && reasons.length === rendered.length) return { client, note: wordsFor(client, reasons[0]) }
    const texts = rendered.map((one) => ('text' in one ? one.text : `# ${wordsFor(client, one.reason)}`))
    const more = all.length > mostShown ? `\n# ${w.andMore(all.length - mostShown)}` : ''
    const text = beginningOf(client) + [...new Set(texts)].join('\n') + more
    return { client, text, footer: footerOf(client, all) }
  })
  const said = all.some(needsManagement) ? words.management : footer
  return <Night label={label} commands={commands} {...(said ? { footer: said } : {})} />
}

/** Names the endpoints first, so that nobody makes at another cloud, for money, what is shown here. */
function beginningOf(client: string): string {
  const api = apiForPrograms(window.location)
  if (client === 'hcloud') return `${exportedEndpoints(api)}\n`
  return client === 'Terraform' ? `${providerBlock(api)}\n\n` : ''
}

/** Older versions, such as Debian's, do not know these commands, and show their help instead. */
function footerOf(client: string, requests: readonly AnyRequest[]): string | undefined {
  const isDns = client === 'hcloud' && requests.some(({ operation }) => operation.startsWith('zones_'))
  return isDns ? words.dns : undefined
}

interface Context {
  readonly labels: Readonly<Record<string, string>> | undefined
  /** What the page knows of the resource that the request is about. */
  readonly known: Known | undefined
}

type Render = (request: AnyRequest, context: Context) => Rendered

/** The clients of the public API; what only Wolke has is for curl. */
function clientsFor(requests: readonly AnyRequest[]): readonly (readonly [client: string, render: Render])[] {
  const isOwn = requests.some(({ operation }) => operationOf(operation).base !== '')
  return isOwn
    ? [['curl', curl]]
    : [
        ['hcloud', hcloud],
        ['curl', curl],
        ['Terraform', terraform],
      ]
}

function askedOf({ operation, params = {}, query = {}, body, afterwards = [] }: AnyRequest) {
  return masked({ operation, params, query, body, afterwards })
}

function hcloud(request: AnyRequest, { labels }: Context): Rendered {
  return toHcloud(askedOf(request), { labels })
}

function curl(request: AnyRequest): Rendered {
  const row = operationOf(request.operation)
  if (row.needs === 'person') return { reason: { kind: 'person' } }
  return toCurl(askedOf(request), row, {
    endpoint: originForPrograms(window.location) + (row.base || '/v1'),
    rowOf: (operation) => operationOf(operation as OperationId),
    token: needsManagement(request) ? 'MANAGEMENT_TOKEN' : 'HCLOUD_TOKEN',
  })
}

/** Whether a token of a Project does not do, as for most of what only Wolke has. */
function needsManagement({ operation }: AnyRequest): boolean {
  const { base, needs } = operationOf(operation)
  return base !== '' && needs !== 'person' && needs !== 'anyone' && !operation.startsWith('lab_')
}

/** What makes something, as a resource; for what is there already, the block that takes it over. */
function terraform(request: AnyRequest, { known }: Context): Rendered {
  const rendered = toTerraform(askedOf(request))
  if ('text' in rendered || !known) return rendered
  const taken = toTerraformImport(known.family, known)
  return taken ? { text: `# ${wordsFor('Terraform', rendered.reason)}\n\n${taken}` } : rendered
}

/** A form that is half filled in may have no command yet. */
function finished(render: () => Rendered): Rendered {
  try {
    return render()
  } catch {
    return { reason: { kind: 'unfinished' } }
  }
}

function wordsFor(client: string, { kind, what = '' }: Reason): string {
  return r[kind](client, what)
}
