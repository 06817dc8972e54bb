/** What the API can be asked to do again after it failed: acts that need nothing but the resource. */
import type { AnyRequest, OperationId } from '../../api/operations.ts'
import type { Action } from './entries.ts'

const again: Readonly<Record<string, OperationId>> = {
  'server start_server': 'servers_powerOn',
  'server stop_server': 'servers_powerOff',
  'server shutdown_server': 'servers_shutDown',
  'server reboot_server': 'servers_reboot',
  'server reset_server': 'servers_reset',
  'server reset_password': 'servers_resetPassword',
  'server disable_rescue': 'servers_disableRescue',
  'volume detach_volume': 'volumes_detach',
  'certificate issue_certificate': 'certificates_retry',
  'certificate create_certificate': 'certificates_retry',
}

/** The request that tries a failed action again; undefined where there is none. */
export function retryOf({ command, status, resources }: Action): AnyRequest | undefined {
  if (status !== 'error') return undefined
  for (const { type, id } of resources) {
    const operation = again[`${type} ${command}`]
    if (operation) return { operation, params: { id } }
  }
  return undefined
}
