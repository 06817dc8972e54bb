/** What happens when the type of a server changes. */
import { changeAction } from '../actions.ts'

export const changeServerType = changeAction('change_server_type', 'change_type')

export const typeActions = [changeServerType]
