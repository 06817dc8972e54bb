/** Ports for programs that cannot be asked which one they took. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A port of an address that was free just now. */
export async function freePort(address = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, address)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
