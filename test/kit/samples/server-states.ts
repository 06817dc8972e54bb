/** States of servers for tests of drivers. */
import type { ServerState } from '../../../src/families/servers/driver.ts'

/** A server of Debian 12 that is off, with nothing that it need not have. */
export const emptyServer: ServerState = {
  id: 7,
  generation: 1,
  location: 1,
  name: 'web',
  cores: 1,
  memoryMb: 512,
  diskGb: 5,
  image: 114690387,
  installation: 1,
  iso: null,
  userData: null,
  sshKeys: [],
  rootPasswordHash: null,
  passwordReset: null,
  rescue: null,
  power: 'off',
  manner: 'hard',
  cycle: null,
  ipv4: null,
  ipv6: null,
  placementGroup: null,
}
