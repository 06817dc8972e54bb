/** What the address of the list of certificates says. */
import { type ResourceSearch, resourceSearch } from '../../pages/shared/search.ts'

export interface CertificatesSearch extends ResourceSearch {
  readonly view?: 'table' | undefined
}

export function certificatesSearch(search: Record<string, unknown>): CertificatesSearch {
  return { ...resourceSearch(search), ...(search.view === 'table' ? { view: 'table' } : {}) }
}
