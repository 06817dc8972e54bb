import type { Retries } from '../../api/operations.ts'

export const retries: Retries<'servers'> = {
  start_server: 'powerOn',
  stop_server: 'powerOff',
  shutdown_server: 'shutDown',
  reboot_server: 'reboot',
  reset_server: 'reset',
  reset_password: 'resetPassword',
  disable_rescue: 'disableRescue',
}
