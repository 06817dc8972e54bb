/** What consoles need from the infrastructure. */
import type { Duplex } from 'node:stream'

export interface ConsoleDriver {
  /**
   * Connects to the screen and keyboard of a running server. The stream speaks RFB from ClientInit on (RFC 6143, 7.3.1):
   * versions and the password are settled by then. It ends when the server loses power, and closing it affects no other
   * viewer. The location is that of the server, by its id. Errors: `DriverError`, such as for a server without power.
   */
  open(server: number, location: number): Promise<Duplex>
}

declare module '../../../kernel/actions/define.ts' {
  interface MachineDrivers {
    console: ConsoleDriver
  }
}
