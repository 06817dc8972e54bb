import type { FailureCode } from '../../api/failure.ts'

export const refusals = {
  invalid_server_type: 'The server cannot have this type. Its disk may be too large for it.',
  server_not_stopped: 'The server must be off for this. Power it off first.',
} satisfies Partial<Record<FailureCode, string>>
