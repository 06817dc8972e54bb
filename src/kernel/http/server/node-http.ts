/** The parts of Node's HTTP servers in use. */
import type { Server, ServerOptions } from 'node:https'

/** Importing the module reads all of its exports, which also loads Node's HTTP and WebSocket clients. */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http')

/** Loads TLS, which a server without it does without. */
export function createSecureServer(options: ServerOptions): Server {
  return process.getBuiltinModule('node:https').createServer(options)
}
