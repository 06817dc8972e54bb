/** Rows of the spec's tables of endpoints (spec: Endpoints). Families that the spec only names have no rows. */
import { specRows } from '../../kit/proofs.ts'
import type { EndpointRow } from './rows.ts'

export const endpointRows: readonly EndpointRow[] = specRows('endpoints')

/** Paths of the metadata service, below `/v1/metadata`. */
export const metadataPaths = [
  '',
  '/hostname',
  '/instance-id',
  '/public-ipv4',
  '/private-networks',
  '/availability-zone',
  '/region',
] as const
