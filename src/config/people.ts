/** Options about people: where they reach the installation, and the identity provider through which they sign in. */
import { readFileSync } from 'node:fs'
import { InvalidArgumentError, Option } from 'commander'
import { type Role, roles } from '../kernel/access/roles.ts'
import { publicBase } from '../kernel/contract/bases.ts'
import { plainAddress } from '../kernel/mail/address.ts'
import type { GroupRole, OidcOptions } from '../people/providers/oidc.ts'

export interface PeopleConfig {
  readonly oidcIssuer?: string
  readonly oidcClientId?: string
  /** Read from the environment alone, because lists of processes show arguments. */
  readonly oidcClientSecret?: string
  readonly oidcClientSecretFile?: string
  readonly oidcOnly?: boolean
  readonly oidcAdmins: readonly string[]
  readonly oidcGroups: readonly GroupRole[]
}

/** An issuer without TLS is accepted on this machine alone. */
function issuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHere = url !== undefined && /^(localhost|127\.0\.0\.1|\[::1\]|.*\.localhost)$/.test(url.hostname)
  if (!url || url.search || url.hash || !(url.protocol === 'https:' || (url.protocol === 'http:' && isHere))) {
    throw new InvalidArgumentError('Expected https://HOST, the issuer as the provider names itself.')
  }
  return text
}

function admins(text: string): string[] {
  return text.split(',').map((part) => {
    const email = plainAddress(part)
    if (email === undefined) throw new InvalidArgumentError(`${part.trim()}: expected an address.`)
    return email
  })
}

function groups(text: string): GroupRole[] {
  return text.split(',').map((part) => {
    const [, group = '', project = '', given = ''] = /^([^=]+)=([^=:]+):(\w+)$/.exec(part.trim()) ?? []
    const role = roles.find((known): known is Exclude<Role, 'owner'> => known === given && known !== 'owner')
    if (!role) throw new InvalidArgumentError(`${part.trim()}: expected GROUP=PROJECT:ROLE, such as ops=default:admin.`)
    return { group, project, role }
  })
}

/** The paths that a URL may have where an origin is expected. */
const rootPaths: readonly string[] = ['/', publicBase, `${publicBase}/`]

/** Parses a comma-separated list of URLs into origins. A URL may end in the root of the public API. */
function origins(text: string): string[] {
  return text.split(',').map((part) => {
    const url = URL.canParse(part.trim()) ? new URL(part.trim()) : undefined
    const isOrigin = url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash
    if (!isOrigin || !rootPaths.includes(url.pathname)) {
      throw new InvalidArgumentError(`${part.trim()}: expected a URL such as https://cloud.example.com.`)
    }
    return url.origin
  })
}

/** The option for where people and programs reach the installation. */
export function publicUrlOption(): Option {
  return new Option(
    '--public-url <url,...>',
    'URLs under which callers reach the API; nothing links to another host name',
  )
    .env('WOLKE_PUBLIC_URL')
    .argParser(origins)
    .default([], 'none')
}

export function peopleOptions(): Option[] {
  return [
    new Option('--oidc-issuer <url>', 'identity provider (OpenID Connect) through which people sign in')
      .env('WOLKE_OIDC_ISSUER')
      .argParser(issuer),
    new Option('--oidc-client-id <id>', 'the name of this installation at the identity provider').env(
      'WOLKE_OIDC_CLIENT_ID',
    ),
    new Option(
      '--oidc-client-secret-file <file>',
      'file with the secret of the client; or the secret itself in the environment as WOLKE_OIDC_CLIENT_SECRET',
    ).env('WOLKE_OIDC_CLIENT_SECRET_FILE'),
    new Option('--oidc-only', 'people sign in through the identity provider and in no other way').env(
      'WOLKE_OIDC_ONLY',
    ),
    new Option('--oidc-admins <address,...>', 'verified addresses of those who administer the installation')
      .env('WOLKE_OIDC_ADMINS')
      .argParser(admins)
      .default([], 'none'),
    new Option('--oidc-groups <group=project:role,...>', 'roles that groups of the identity provider give in Projects')
      .env('WOLKE_OIDC_GROUPS')
      .argParser(groups)
      .default([], 'none'),
  ]
}

/** Errors: `InvalidArgumentError` for options that do not go together. */
export function checkPeople(config: PeopleConfig): void {
  const { oidcIssuer, oidcClientId, oidcClientSecret, oidcClientSecretFile } = config
  const hasSecret = oidcClientSecret !== undefined || oidcClientSecretFile !== undefined
  if ((oidcIssuer === undefined) !== (oidcClientId === undefined)) {
    throw new InvalidArgumentError('--oidc-issuer and --oidc-client-id belong together')
  }
  if (oidcIssuer !== undefined && !hasSecret) {
    throw new InvalidArgumentError('--oidc-issuer needs --oidc-client-secret-file or WOLKE_OIDC_CLIENT_SECRET')
  }
  const others = [config.oidcOnly, config.oidcAdmins.length > 0, config.oidcGroups.length > 0]
  if (oidcIssuer === undefined && others.includes(true)) {
    throw new InvalidArgumentError('--oidc-only, --oidc-admins and --oidc-groups need --oidc-issuer')
  }
}

/** The identity provider; undefined without one. Errors: those of the file, and one that is empty. */
export function oidcOf(config: PeopleConfig): OidcOptions | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecretFile: file, oidcAdmins, oidcGroups } = config
  if (oidcIssuer === undefined || oidcClientId === undefined) return undefined
  const clientSecret = file === undefined ? config.oidcClientSecret! : readFileSync(file, 'utf8').trim()
  if (clientSecret === '') throw new Error('there is no secret in it')
  return { issuer: oidcIssuer, clientId: oidcClientId, clientSecret, admins: oidcAdmins, groups: oidcGroups }
}
