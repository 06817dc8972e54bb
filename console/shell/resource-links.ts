/** The pages of resources, so that what is in the cache can be found by its name. One line for each family with pages. */
import type { IconName } from '../ui/icon.tsx'
import { shell } from '../words/en/shell.ts'
import { wordsOf } from '../words/words.ts'

const w = wordsOf('shell', shell).navigation

interface FamilyLink {
  readonly icon: IconName
  readonly kind: string
  readonly to: string
  readonly params: (resource: Named) => Record<string, string>
}

interface Named {
  readonly id: number
  readonly name?: string | null
}

export interface ResourceLink {
  readonly family: string
  readonly id: number
  readonly name: string
  readonly kind: string
  readonly icon: IconName
  readonly to: string
  readonly params: Readonly<Record<string, string>>
}

const families: Readonly<Record<string, FamilyLink>> = {
  servers: {
    icon: 'server',
    kind: w.servers,
    to: '/projects/$project/servers/$id',
    params: ({ id }) => ({ id: String(id) }),
  },
  firewalls: {
    icon: 'firewall',
    kind: w.firewalls,
    to: '/projects/$project/firewalls/$id/{-$tab}',
    params: ({ id }) => ({ id: String(id), tab: 'rules' }),
  },
  load_balancers: {
    icon: 'balance',
    kind: w.balancers,
    to: '/projects/$project/load-balancers/$id/{-$tab}',
    params: ({ id }) => ({ id: String(id) }),
  },
  certificates: {
    icon: 'cert',
    kind: w.certificates,
    to: '/projects/$project/certificates/$id',
    params: ({ id }) => ({ id: String(id) }),
  },
  networks: {
    icon: 'network',
    kind: w.networks,
    to: '/projects/$project/networks/$id',
    params: ({ id }) => ({ id: String(id) }),
  },
  volumes: {
    icon: 'volume',
    kind: w.volumes,
    to: '/projects/$project/volumes/$id',
    params: ({ id }) => ({ id: String(id) }),
  },
  images: {
    icon: 'image',
    kind: w.images,
    to: '/projects/$project/images/$id',
    params: ({ id }) => ({ id: String(id) }),
  },
  zones: {
    icon: 'zone',
    kind: w.zones,
    to: '/projects/$project/zones/$zone',
    params: ({ name }) => ({ zone: name ?? '' }),
  },
}

/** The resources in the reply of a list. */
export function linksOf(operation: string, reply: unknown): readonly ResourceLink[] {
  const family = operation.endsWith('_list') ? operation.slice(0, -'_list'.length) : ''
  const link = families[family]
  if (!link || !Array.isArray(reply)) return []
  return (reply as readonly Named[])
    .filter(({ name }) => name)
    .map((one) => ({
      family,
      id: one.id,
      name: one.name ?? '',
      kind: link.kind,
      icon: link.icon,
      to: link.to,
      params: link.params(one),
    }))
}
