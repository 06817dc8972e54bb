/** The content of a panel: requests written for each client; the command line first, then curl, then Terraform. */
import { isRole, type Need } from '../../src/kernel/access/roles.ts'
import { wolkeBase } from '../../src/kernel/contract/bases.ts'
import { apiForPrograms, exportedEndpoints, type Origin, originForPrograms } from '../lib/endpoint.ts'
import { toCurl } from './curl.ts'
import { toHcloud } from './hcloud/render.ts'
import { masked } from './mask.ts'
import type { Asked, Known, OperationRow, Reason, Rendered } from './request.ts'
import { providerBlock } from './terraform/provider.ts'
import { toTerraform, toTerraformImport } from './terraform/render.ts'

/** The part of an operation's row that panels need. */
interface PanelRow extends OperationRow {
  /** The root of the API below which it is. */
  readonly base: string
  readonly needs: Need
}

/** The facts that replies have told of the resource of a request. */
export interface KnownResource {
  readonly family: string
  readonly id: number
  readonly name?: string | null
  readonly type?: string
  readonly description?: string | null
}

interface Surroundings {
  /** The labels that the resource has before the request. */
  readonly labels: Known['labels']
  readonly origin: Origin
  readonly rowOf: (operation: string) => PanelRow
  readonly knownOf: (request: Asked) => KnownResource | undefined
  /** The words for a reason, in the language of the reader. */
  readonly say: (client: Client, reason: Reason) => string
  readonly andMore: (count: number) => string
}

/** A text for a client to paste, with the minor version that the client needs, or the reason why there is none. */
type Shown =
  | { readonly client: Client; readonly text: string; readonly since?: number }
  | { readonly client: Client; readonly note: string }

export type Client = 'hcloud' | 'curl' | 'Terraform'

/** More of the same would only be scrolled past. */
const mostShown = 20

/** Writes one request, or those that an act sends for each of many. */
export function commandsOf(requests: readonly Asked[], around: Surroundings): readonly Shown[] {
  const isOwn = requests.some(({ operation }) => around.rowOf(operation).base === wolkeBase)
  // Only curl reaches what only Wolke has.
  const clients: readonly Client[] = isOwn ? ['curl'] : ['hcloud', 'curl', 'Terraform']
  return clients.map((client) => shownFor(client, requests, around))
}

function shownFor(client: Client, requests: readonly Asked[], around: Surroundings): Shown {
  const rendered = requests.slice(0, mostShown).map((one) => finished(() => renderers[client](one, around)))
  const reasons = rendered.flatMap((one) => ('reason' in one ? [one.reason] : []))
  if (reasons[0] && reasons.length === rendered.length) return { client, note: around.say(client, reasons[0]) }
  const texts = rendered.map((one) => ('text' in one ? one.text : `# ${around.say(client, one.reason)}`))
  const more = requests.length > mostShown ? `\n# ${around.andMore(requests.length - mostShown)}` : ''
  const text = beginningOf(client, around.origin) + [...new Set(texts)].join('\n') + more
  const since = Math.max(...rendered.map((one) => ('text' in one && one.since) || 0))
  return { client, text, ...(since > 0 ? { since } : {}) }
}

/** Names the endpoints first, so that nobody makes at another cloud, for money, what is shown here. */
function beginningOf(client: Client, origin: Origin): string {
  const api = apiForPrograms(origin)
  if (client === 'hcloud') return `${exportedEndpoints(api)}\n`
  return client === 'Terraform' ? `${providerBlock(api)}\n\n` : ''
}

/** Returns whether a token of a Project does not suffice, as for most of what only Wolke has: it needs one that says which. */
export function needsManagement({ base, needs, path }: PanelRow): boolean {
  if (base !== wolkeBase || needs === 'person' || needs === 'anyone') return false
  return !isRole(needs) || path.includes('{project_id}')
}

const renderers: Readonly<Record<Client, (request: Asked, around: Surroundings) => Rendered>> = {
  hcloud: (request, { labels, knownOf }) =>
    toHcloud(masked(request), { labels, description: knownOf(request)?.description ?? undefined }),
  curl(request, { origin, rowOf }) {
    const row = rowOf(request.operation)
    if (row.needs === 'person') return { reason: { kind: 'person' } }
    return toCurl(masked(request), row, {
      endpoint: originForPrograms(origin) + row.base,
      rowOf,
      token: needsManagement(row) ? 'MANAGEMENT_TOKEN' : 'HCLOUD_TOKEN',
    })
  },
  /** Renders what makes something as a resource; for what is there already, the block that takes it over. */
  Terraform(request, { knownOf, say }) {
    const rendered = toTerraform(masked(request))
    const known = 'text' in rendered ? undefined : knownOf(request)
    const taken = known && toTerraformImport(known.family, known)
    return taken && 'reason' in rendered ? { text: `# ${say('Terraform', rendered.reason)}\n\n${taken}` } : rendered
  },
}

/** A form that is half filled in may have no command yet. */
function finished(render: () => Rendered): Rendered {
  try {
    return render()
  } catch {
    return { reason: { kind: 'unfinished' } }
  }
}
