/**
 * What is used of `node:http`. An import of the module would read all that it exports, which loads the runtime's client
 * for HTTP and WebSockets too: a twentieth of the time until the server answers.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')
