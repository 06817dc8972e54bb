/**
 * The parts of `node:http` in use. Importing the module reads all of its exports, which also loads Node's HTTP and
 * WebSocket clients: five percent of the start time.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
