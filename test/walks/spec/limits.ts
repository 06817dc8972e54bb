/** Rows of the spec's table of limits (spec: Limits). What is tried on both sides of each is in spec.test.ts. */
import { specRows } from '../../kit/proofs.ts'

const general = ['Request rate', 'Rate-limit headers', 'per_page', 'page', 'Label name / value', 'Action history']

export const limitRows: readonly { readonly limit: string }[] = [
  ...general.map((limit) => ({ limit })),
  ...specRows('limits').map(({ limit }) => ({ limit })),
]
