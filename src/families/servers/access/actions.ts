/** What happens when somebody wants into a server: the rescue system and new passwords. */
import { changeAction } from '../actions.ts'

export const enableRescue = changeAction('enable_rescue', 'enable_rescue')
export const disableRescue = changeAction('disable_rescue', 'disable_rescue')
export const resetPassword = changeAction('reset_password', 'reset_password')

export const accessActions = [enableRescue, disableRescue, resetPassword]
