/** The facts that every mail about a certificate shows. */
import type { CertificateSummary } from './domain.ts'

const mostDomains = 10

/** The lines of facts, by their labels. */
export function summaryFacts({ id, name, domainNames, notValidAfter }: CertificateSummary): Record<string, string> {
  const more = domainNames.length - mostDomains
  const domains = domainNames.slice(0, mostDomains).join(', ')
  return {
    Certificate: `${name} (ID ${id})`,
    Domains: more > 0 ? `${domains} and ${more} more` : domains,
    ...(notValidAfter === null ? {} : { 'Valid until': notValidAfter }),
  }
}
