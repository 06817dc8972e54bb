/** Certificates in seed files. */
import type { Seed } from '../../kernel/resource/seed.ts'

/** The domains that a host name is in, and itself. */
function domainsOf(name: string): string[] {
  const labels = name.split('.')
  return labels.map((_, at) => labels.slice(at).join('.'))
}

export const seed: Seed = {
  // Authorities look for their challenges there.
  needs: ({ domain_names = [] }) => ({ zone: domain_names.flatMap(domainsOf) }),
  entry: ({ type, certificate, domain_names, labels }, { secret }) => {
    if (type === 'managed') return { type, domain_names, labels }
    secret('private_key')
    return { type, certificate, labels }
  },
}
