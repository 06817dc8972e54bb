/** Reads the state of the list of certificates from its address. */
import { type ResourceSearch, resourceSearch } from '../../pages/shared/search.ts'

export interface CertificatesSearch extends ResourceSearch {
  readonly view?: 'table' | undefined
}

export function certificatesSearch(search: Record<string, unknown>): CertificatesSearch {
  return { ...resourceSearch(search), ...(search.view === 'table' ? { view: 'table' } : {}) }
}
