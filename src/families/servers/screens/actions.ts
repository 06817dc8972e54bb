import { defineRecord } from '../../../kernel/actions/define.ts'

export const requestConsole = defineRecord('servers', 'request_console')
