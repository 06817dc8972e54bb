/** Subaccounts as the API shows them. */
import type { Static } from 'typebox'
import type { Platform } from '../../../platform.ts'
import { usernameOf } from '../domain.ts'
import { hostOf } from '../view.ts'
import type { Subaccount as Wire } from './contract.ts'
import { type Subaccount, subaccountName } from './domain.ts'

/** A subaccount as the API shows it. */
export function subaccountToWire(platform: Pick<Platform, 'settings'>, one: Subaccount): Static<typeof Wire> {
  const username = subaccountName(usernameOf(one.boxId), one.number)
  return {
    id: one.id,
    storage_box: one.boxId,
    username,
    name: one.name,
    description: one.description,
    home_directory: one.home,
    server: hostOf(platform, username),
    access_settings: one.access,
    labels: one.labels,
    created: one.created,
  }
}
