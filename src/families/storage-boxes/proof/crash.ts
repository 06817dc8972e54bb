/** The attack that kills servers learns here what each write about Storage Boxes brings about. */
import {
  type CrashRow,
  named,
  namedState,
  protects,
  removes,
  renames,
  type State,
  showsNamed,
  showsProtected,
  when,
  yesOrNo,
} from '../../../../test/kit/crash.ts'
import { done, type Proof } from '../../../../test/kit/proof.ts'
import { password, plan, subaccountBody } from './samples.ts'

const box = '/storage_boxes/{storage_boxes}'
const snapshot = `${box}/snapshots/{.snapshots}`
const subaccount = `${box}/subaccounts/{.subaccounts}`

/** A box of the attack has one snapshot and one subaccount at most, each known by its label. */
const hasSnapshot = ({ snapshot }: State) => Boolean(snapshot)
const hasSubaccount = ({ subaccount }: State) => Boolean(subaccount)

const noParts = { snapshot: '', subaccount: '', home: '', readonly: '', subname: '' }

const toggles =
  (facet: string, flag: string): CrashRow =>
  (_, { state }) => {
    const isOn = state[facet] !== 'yes'
    return { body: { [flag]: isOn }, to: { [facet]: yesOrNo(isOn) } }
  }

const changesLabel =
  (facet: string): CrashRow =>
  ({ version }) => ({ body: { labels: { version } }, to: { [facet]: version } })

export const crash: Proof['crash'] = {
  shows: {
    async storage_boxes(shown, api) {
      const path = `/storage_boxes/${shown.id}`
      const [snapshots, subaccounts] = await Promise.all([
        done(api.get(`${path}/snapshots`)),
        done(api.get(`${path}/subaccounts`)),
      ])
      const [first, account] = [snapshots.snapshots[0], subaccounts.subaccounts[0]]
      return {
        ...showsNamed(shown),
        ...showsProtected(shown),
        status: shown.status,
        type: shown.storage_box_type.name,
        ssh: yesOrNo(shown.access_settings.ssh_enabled),
        plan: `${shown.snapshot_plan?.minute ?? ''}`,
        snapshot: first?.labels.version ?? '',
        subaccount: account?.labels.version ?? '',
        home: account?.home_directory ?? '',
        readonly: account ? yesOrNo(account.access_settings.readonly) : '',
        subname: account?.name ?? '',
      }
    },
  },
  writes: {
    'POST /storage_boxes': (draw) => ({
      body: { ...named(draw), storage_box_type: 'bx11', location: 'fsn1', password },
      makes: {
        ...namedState(draw),
        ...noParts,
        ...{ protected: 'no', status: 'active', type: 'bx11', ssh: 'no', plan: '' },
      },
      later: ['status'],
    }),
    [`PUT ${box}`]: renames,
    [`DELETE ${box}`]: (draw, target) => {
      const write = removes(draw, target)
      return write && { ...write, later: 'all' }
    },
    [`POST ${box}/actions/change_protection`]: protects,
    [`POST ${box}/actions/change_type`]: (_, { state }) => {
      const type = state.type === 'bx11' ? 'bx21' : 'bx11'
      return { body: { storage_box_type: type }, to: { type } }
    },
    [`POST ${box}/actions/reset_password`]: () => ({ body: { password } }),
    [`POST ${box}/actions/update_access_settings`]: toggles('ssh', 'ssh_enabled'),
    [`POST ${box}/actions/enable_snapshot_plan`]: ({ number }) => ({
      body: { ...plan, minute: number % 60 },
      to: { plan: `${number % 60}` },
    }),
    [`POST ${box}/actions/disable_snapshot_plan`]: () => ({ to: { plan: '' } }),
    [`POST ${box}/snapshots`]: when(
      (state) => !hasSnapshot(state),
      ({ version }) => ({ body: { labels: { version } }, to: { snapshot: version } }),
    ),
    [`PUT ${snapshot}`]: when(hasSnapshot, changesLabel('snapshot')),
    [`DELETE ${snapshot}`]: when(hasSnapshot, () => ({ to: { snapshot: '' }, later: 'all' })),
    [`POST ${box}/actions/rollback_snapshot`]: when(hasSnapshot, () => ({ body: { snapshot: '{.snapshots}' } })),
    [`POST ${box}/subaccounts`]: when(
      (state) => !hasSubaccount(state),
      ({ version }) => ({
        body: subaccountBody({ name: version, labels: { version } }),
        to: { subaccount: version, subname: version, home: 'backups', readonly: 'no' },
      }),
    ),
    [`PUT ${subaccount}`]: when(hasSubaccount, ({ version }) => ({
      body: { name: version, labels: { version } },
      to: { subaccount: version, subname: version },
    })),
    [`DELETE ${subaccount}`]: when(hasSubaccount, () => ({
      to: { subaccount: '', subname: '', home: '', readonly: '' },
      later: 'all',
    })),
    [`POST ${subaccount}/actions/change_home_directory`]: when(hasSubaccount, ({ version }) => ({
      body: { home_directory: version },
      to: { home: version },
    })),
    [`POST ${subaccount}/actions/reset_subaccount_password`]: when(hasSubaccount, () => ({ body: { password } })),
    [`POST ${subaccount}/actions/update_access_settings`]: when(hasSubaccount, toggles('readonly', 'readonly')),
  },
}
