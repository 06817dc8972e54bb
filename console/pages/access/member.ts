/** A member of a Project. */
import type { ReplyFor } from '../../api/operations.ts'

export type Member = ReplyFor<'management_listMembers'>['members'][number]
