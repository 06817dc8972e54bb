/** Names of the tests of rows, by which docs/spec-coverage.md refers to them. */

interface Endpoint {
  readonly endpoint: string
}

export const nameOf = {
  endpoint: ({ endpoint }: Endpoint) => `${endpoint} is as its row says`,
  fields: ({ resource }: { readonly resource: string }) => `${resource}: exactly its fields`,
  selector: ({ expression }: { readonly expression: string }) => `the label selector ${expression}`,
  general: ({ code, status }: { readonly code: string; readonly status: number }) => `${status} ${code}`,
  details: ({ code }: { readonly code: string }) => `the details of ${code}`,
  specific: ({ operation }: { readonly operation: string }) => `the codes of ${operation}`,
  limit: ({ limit }: { readonly limit: string }) => `${limit}: within it and beyond`,
} as const
