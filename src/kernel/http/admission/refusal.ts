/** Translates any error into a refusal for the caller (spec: Errors). */
import { late, unavailable } from '../../data/db.ts'
import { databaseFailure, isTrouble } from '../../data/dialect.ts'
import { ApiError } from '../../errors.ts'

/**
 * Translates an error into a refusal. Unknown errors become `server_error` without their message. `isRead` says that
 * the request writes nothing: only then may a timed-out request be retried. `mostBytes` is the body limit of the
 * request.
 */
export function toRefusal(error: unknown, { isRead, mostBytes }: { isRead: boolean; mostBytes: number }): ApiError {
  if (error instanceof ApiError) return error
  switch ((error as { code?: string }).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('invalid_input', `the request body is larger than ${mostBytes} bytes`, { status: 413 })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError('invalid_input', 'the length of the body differs from its Content-Length', { status: 400 })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('invalid_input', 'send the body as Content-Type: application/json', { status: 415 })
  }
  // Other refusals by the framework, such as a truncated body.
  const status = (error as { statusCode?: number }).statusCode ?? 500
  if (status >= 400 && status < 500) return new ApiError('invalid_input', 'the request is not complete', { status })
  if (databaseFailure(error)?.kind === 'timeout' && isRead) return late(error)
  if (isTrouble(error)) return unavailable(error)
  return new ApiError('server_error', 'an unexpected error happened; the log has it under the correlation id')
}
