/** Reads rules out of what somebody pastes: networks, JSON of the API or of hcloud, and blocks of Terraform. Pure. */
import { type Direction, type Protocol, protocols } from '../../../src/families/firewalls/domain.ts'
import { type Content, readNetwork, readNetworks } from './draft.ts'

type Pasted =
  | { readonly kind: 'rules'; readonly rules: readonly Content[] }
  | { readonly kind: 'networks'; readonly networks: readonly string[] }
  | { readonly kind: 'nothing' }

export function readPasted(text: string): Pasted {
  const asked = text.trim()
  if (asked === '') return { kind: 'nothing' }
  const found = fromJson(asked) ?? fromHcl(asked)
  if (found && found.length > 0) return { kind: 'rules', rules: found }
  if (found) return { kind: 'nothing' }
  const networks = readNetworks(asked)
  return networks.some((network) => network.includes('/')) ? { kind: 'networks', networks } : { kind: 'nothing' }
}

function fromJson(text: string): readonly Content[] | undefined {
  if (!/^[[{]/.test(text)) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const all = rulesIn(value)
  // A list of texts is one of networks.
  if (all.every((one) => typeof one === 'string')) return undefined
  return all.filter(isRecord).map(toContent)
}

function rulesIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (!isRecord(value)) return []
  if (isRecord(value.firewall)) return rulesIn(value.firewall)
  return Array.isArray(value.rules) ? value.rules : [value]
}

/** `rule { direction = "in" ... }`, one or more, also within a resource. */
function fromHcl(text: string): readonly Content[] | undefined {
  const blocks = [...text.matchAll(/\brule\s*\{([^{}]*)\}/g)].map(([, inside]) => inside ?? '')
  if (blocks.length === 0) return undefined
  return blocks.map((inside) => {
    const fields = [...inside.matchAll(/(\w+)\s*=\s*(\[[^\]]*\]|"(?:[^"\\]|\\.)*"|[\w.-]+)/g)]
    return toContent(Object.fromEntries(fields.map(([, name, value]) => [name, readHcl(value ?? '')])))
  })
}

function readHcl(value: string): unknown {
  if (value.startsWith('[')) return [...value.matchAll(/"([^"]*)"/g)].map(([, one]) => one ?? '')
  return value.startsWith('"') ? value.slice(1, -1).replaceAll('\\"', '"') : value
}

function toContent(rule: Readonly<Record<string, unknown>>): Content {
  const direction: Direction = rule.direction === 'out' ? 'out' : 'in'
  const networks = direction === 'in' ? rule.source_ips : rule.destination_ips
  return {
    direction,
    protocol: protocols.find((known): known is Protocol => known === rule.protocol) ?? 'tcp',
    port: rule.port === null || rule.port === undefined ? '' : String(rule.port),
    networks: Array.isArray(networks) ? networks.map((one) => readNetwork(String(one))) : [],
    description: typeof rule.description === 'string' ? rule.description : '',
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
