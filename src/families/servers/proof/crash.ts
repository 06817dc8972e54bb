import {
  type CrashRow,
  named,
  namedState,
  removes,
  renames,
  type State,
  showsNamed,
  when,
  yesOrNo,
} from '../../../../test/kit/crash.ts'
import type { Proof } from '../../../../test/kit/proof.ts'
import { off, privateOnly, serverBody } from './samples.ts'

const isOff = ({ power }: State) => power === 'off'
const isRunning = ({ power }: State) => power === 'running'

/** A boot uses up the rescue system. */
const boots = (fits: (state: State) => boolean) =>
  when(fits, () => ({ to: { power: 'running', rescue: 'no' }, later: 'all' }))
const stops = when(
  (state) => !isOff(state),
  () => ({ to: { power: 'off' }, later: 'all' }),
)
/** What a write leaves open that starts the server afterwards if it is in any network. */
export const mayBoot = { power: '?', rescue: '?' }

/** A server that is started, one that is off, or one that cannot be started because nothing could reach it. */
const makesServer: CrashRow = (draw) => {
  const [options, power] = draw.oneOf<[object, string]>([
    [{}, 'running'],
    [off, 'off'],
    [privateOnly, 'off'],
  ])
  const makes = { power, image: 'debian-12', type: 'cpx22', backup: 'no', rescue: 'no', protected: 'no' }
  return {
    body: { ...serverBody(draw.version, options), ...named(draw) },
    makes: { ...namedState(draw), ...makes },
    later: ['power'],
  }
}

export const crash: Proof['crash'] = {
  shows: {
    servers: (server) => ({
      ...showsNamed(server),
      power: server.status,
      image: server.image.name,
      type: server.server_type.name,
      backup: yesOrNo(server.backup_window !== null),
      rescue: yesOrNo(server.rescue_enabled),
      protected: yesOrNo(server.protection.delete && server.protection.rebuild),
    }),
  },
  writes: {
    'POST /servers': makesServer,
    'PUT /servers/{servers}': renames,
    'DELETE /servers/{servers}': (draw, target) => {
      const write = removes(draw, target)
      return write && { ...write, later: 'all' }
    },
    'POST /servers/{servers}/actions/poweron': boots(isOff),
    'POST /servers/{servers}/actions/poweroff': stops,
    'POST /servers/{servers}/actions/shutdown': stops,
    'POST /servers/{servers}/actions/reboot': boots(isRunning),
    'POST /servers/{servers}/actions/reset': boots(isRunning),
    'POST /servers/{servers}/actions/rebuild': when(
      (state) => state.protected === 'no',
      (_, { state }) => {
        const image = state.image === 'debian-12' ? 'debian-13' : 'debian-12'
        return { body: { image }, to: { image, ...mayBoot }, later: 'all' }
      },
    ),
    'POST /servers/{servers}/actions/enable_backup': () => ({ to: { backup: 'yes' } }),
    // It deletes the backups that there are.
    'POST /servers/{servers}/actions/disable_backup': ({ has }, { key }) =>
      has('images', (image) => image.with === key) ? undefined : { to: { backup: 'no' } },
    'POST /servers/{servers}/actions/change_type': when(isOff, (_, { state }) => {
      const type = state.type === 'cpx22' ? 'cpx32' : 'cpx22'
      return { body: { server_type: type, upgrade_disk: false }, to: { type, ...mayBoot }, later: 'all' }
    }),
    'POST /servers/{servers}/actions/enable_rescue': () => ({ body: {}, to: { rescue: 'yes' } }),
    'POST /servers/{servers}/actions/disable_rescue': () => ({ to: { rescue: 'no' } }),
    'POST /servers/{servers}/actions/reset_password': when(isRunning, () => ({})),
    'POST /servers/{servers}/actions/request_console': when(isRunning, () => ({})),
    'POST /servers/{servers}/actions/change_protection': (_, { state }) => {
      const isOn = state.protected === 'no'
      return { body: { delete: isOn, rebuild: isOn }, to: { protected: yesOrNo(isOn) } }
    },
  },
}
