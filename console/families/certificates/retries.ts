import type { Retries } from '../../api/operations.ts'

export const retries: Retries<'certificates'> = { issue_certificate: 'retry', create_certificate: 'retry' }
