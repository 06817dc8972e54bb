/** Random requests about Storage Boxes. */
import {
  anyLabels,
  anyName,
  anyProtection,
  anyRename,
  noBody,
  type Proof,
  type RandomBody,
} from '../../../../test/kit/proof.ts'
import { password } from './samples.ts'

const box = '/storage_boxes/{storage_boxes}'
const snapshot = `${box}/snapshots/{.snapshots}`
const subaccount = `${box}/subaccounts/{.subaccounts}`

const anyHome: RandomBody = ({ oneOf }) => ({ home_directory: oneOf(['a', 'a/b', 'c d', '.']) })
const anyPassword: RandomBody = ({ number }) => ({ password: `${password}${number(3)}` })
const anyFlag =
  (flags: readonly string[]): RandomBody =>
  ({ oneOf, number }) => ({ [oneOf(flags)]: number(2) === 0 })

export const traffic: Proof['traffic'] = {
  kind: 'storage_box',
  requests: {
    'POST /storage_boxes': (draw) => ({
      name: anyName('b', draw),
      labels: anyLabels(draw),
      storage_box_type: draw.oneOf(['bx11', 'bx21']),
      location: draw.oneOf(['fsn1', 'hel1']),
      password,
    }),
    [`PUT ${box}`]: anyRename('b'),
    [`DELETE ${box}`]: noBody,
    [`POST ${box}/actions/change_protection`]: anyProtection,
    [`POST ${box}/actions/change_type`]: ({ oneOf }) => ({ storage_box_type: oneOf(['bx11', 'bx21', 'bx31']) }),
    [`POST ${box}/actions/reset_password`]: anyPassword,
    [`POST ${box}/actions/update_access_settings`]: anyFlag(['ssh_enabled', 'webdav_enabled', 'zfs_enabled']),
    [`POST ${box}/actions/enable_snapshot_plan`]: ({ number }) => ({
      max_snapshots: 1 + number(3),
      minute: number(60),
      hour: number(24),
      day_of_week: number(2) === 0 ? null : 1 + number(7),
    }),
    [`POST ${box}/actions/disable_snapshot_plan`]: noBody,
    [`POST ${box}/actions/rollback_snapshot`]: ({ number }) => ({ snapshot: `2026-11-21T12-00-0${number(4)}` }),
    [`POST ${box}/snapshots`]: (draw) => ({ labels: anyLabels(draw) }),
    [`PUT ${snapshot}`]: (draw) => ({ description: draw.oneOf(['', 'before']), labels: anyLabels(draw) }),
    [`DELETE ${snapshot}`]: noBody,
    [`POST ${box}/subaccounts`]: (draw) => ({ home_directory: 'a', password, labels: anyLabels(draw) }),
    [`PUT ${subaccount}`]: (draw) => ({ name: anyName('s', draw), labels: anyLabels(draw) }),
    [`DELETE ${subaccount}`]: noBody,
    [`POST ${subaccount}/actions/change_home_directory`]: anyHome,
    [`POST ${subaccount}/actions/reset_subaccount_password`]: anyPassword,
    [`POST ${subaccount}/actions/update_access_settings`]: anyFlag(['readonly', 'ssh_enabled', 'webdav_enabled']),
  },
}
