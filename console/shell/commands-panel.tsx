/** Writes a request for each client. */
import { pathOf } from '../api/client.ts'
import { type AnyRequest, operationOf } from '../api/operations.ts'
import { colored } from '../ui/colored.ts'
import { Night } from '../ui/night.tsx'

interface PanelProps {
  readonly request: AnyRequest
  readonly labels?: Readonly<Record<string, string>> | undefined
  readonly footer?: string
}

export function CommandsPanel({ request, footer }: PanelProps) {
  const { method, base } = operationOf(request.operation)
  const url = `${window.location.origin}${base || '/v1'}${pathOf(request)}`
  const parts = [
    'curl',
    ...(method === 'GET' ? [] : [`--request ${method}`]),
    '--header "Authorization: Bearer $HCLOUD_TOKEN"',
    ...(request.body === undefined
      ? []
      : [
          "--header 'Content-Type: application/json'",
          `--data-raw '${JSON.stringify(request.body).replaceAll("'", "'\\''")}'`,
        ]),
    url,
  ]
  return (
    <Night commands={[{ client: 'curl', pieces: colored(parts.join(' \\\n  ')) }]} {...(footer ? { footer } : {})} />
  )
}
