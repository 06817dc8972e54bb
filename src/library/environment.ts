/** The environment of programs that are to find a cloud of one's own, and no other one. */

import { storageUrlOf } from '../kernel/contract/bases.ts'

/** Variables from which known clients read the endpoint of the API. */
const endpointVariables = ['HCLOUD_ENDPOINT', 'HETZNER_API'] as const

/** Variables from which known clients read a token. */
const tokenVariables = [
  'HCLOUD_TOKEN',
  'HCLOUD_API_TOKEN',
  'HETZNER_TOKEN',
  'HETZNER_Token',
  'HETZNER_API_TOKEN',
  'HETZNER_API_KEY',
  'LEXICON_HETZNER_AUTH_TOKEN',
] as const

export type Environment = Readonly<Record<string, string>>

/** The variables by which known clients find a cloud. */
export function environmentOf({ url, token }: { readonly url: string; readonly token: string }): Environment {
  return { ...allOf(endpointVariables, url), HETZNER_ENDPOINT: storageUrlOf(url), ...allOf(tokenVariables, token) }
}

const allOf = (names: readonly string[], value: string) => Object.fromEntries(names.map((name) => [name, value]))

/** Names that lead to a real cloud: secrets, files of them, and contexts with settings of their own. */
const secretNames = /(hcloud|hetzner).*(token|key|secret|password|context|config)/i

/** Values of at most this length are too common to be told from others, such as `1`. */
const shortestSecret = 16

/**
 * An environment without what leads to a real cloud, by its name or because it repeats such a secret; `removed` are the
 * names of what is left out.
 */
function withoutRealClouds(env: NodeJS.ProcessEnv): { readonly env: Environment; readonly removed: string[] } {
  const all = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const secrets = new Set(all.filter(([name]) => secretNames.test(name)).map(([, value]) => value))
  const isSecret = ([name, value]: [string, string]) =>
    secretNames.test(name) || (value.length >= shortestSecret && secrets.has(value))
  return {
    env: Object.fromEntries(all.filter((entry) => !isSecret(entry))),
    removed: all
      .filter(isSecret)
      .map(([name]) => name)
      .sort(),
  }
}

const proxyNames = /^(https?|all)_proxy$/i

/** Variables by which no program asks a proxy for a cloud on this machine, where there is a proxy for others. */
function direct(env: Environment): Environment {
  if (!Object.keys(env).some((name) => proxyNames.test(name))) return {}
  const hosts = [env.no_proxy ?? env.NO_PROXY, '127.0.0.1', 'localhost', '::1'].filter(Boolean).join(',')
  return allOf(['no_proxy', 'NO_PROXY'], hosts)
}

/** The environment of a program that is to find a cloud that is thrown away; variables of tokens have its token then. */
export function environmentIn(
  cloud: { readonly url: string; readonly token: string; readonly wolkeUrl: string; readonly labToken: string },
  given: NodeJS.ProcessEnv,
): { readonly env: Environment; readonly removed: string[] } {
  const { env, removed } = withoutRealClouds(given)
  const tokens = removed.filter((name) => /token$/i.test(name))
  const lab = { WOLKE_URL: cloud.wolkeUrl, WOLKE_LAB_TOKEN: cloud.labToken }
  return { env: { ...env, ...direct(env), ...allOf(tokens, cloud.token), ...environmentOf(cloud), ...lab }, removed }
}
