/** Writes requests for each client: the command line first, then curl, which can send anything, then Terraform. */
import { useQueryClient } from '@tanstack/react-query'
import { useProjectId } from '../api/api.ts'
import { type AnyRequest, type OperationId, operationOf } from '../api/operations.ts'
import { type Client, commandsOf, needsManagement } from '../commands/panel.ts'
import type { Asked, Reason } from '../commands/request.ts'
import { Night } from '../ui/night.tsx'
import { commands as words } from '../words/commands.ts'
import { common as w } from '../words/common.ts'
import { knownResource } from './known-resource.ts'

const r = words.reasons
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
  const commands = commandsOf(all as readonly Asked[], {
    origin: window.location,
    labels,
    rowOf: (operation) => operationOf(operation as OperationId),
    knownOf: (one) => knownResource(cache, project, one as AnyRequest),
    say: wordsFor,
    andMore: w.andMore,
  }).map((one) => ('since' in one ? { ...one, footer: words.newer(one.client, `1.${one.since}`) } : one))
  const isManagement = all.some(({ operation }) => needsManagement(operationOf(operation)))
  const said = isManagement ? words.management : footer
  return <Night label={label} commands={commands} {...(said ? { footer: said } : {})} />
}

function wordsFor(client: Client, { kind, what = '' }: Reason): string {
  return r[kind](client, what)
}
