/** Refusals of records, whose reason stands in the message: many DNS tools print nothing else of a reply. */
import { type ApiError, invalidInput, type Problem } from '../../kernel/errors.ts'

/** 422 `invalid_input` for one or more problems, the first of which is told in the message. */
export function refused(problems: readonly Problem[]): ApiError {
  const [first] = problems
  return invalidInput(problems, first && `invalid input in field '${first.field}': ${first.message}`)
}

/** The same for a problem with one field. */
export const refusedField = (field: string, message: string): ApiError => refused([{ field, message }])
