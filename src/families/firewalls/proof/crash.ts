import { keyOf, named, namedState, removes, renames, showsNamed, when } from '../../../../test/kit/crash.ts'
import type { Proof } from '../../../../test/kit/proof.ts'
import { allow, toServer } from './samples.ts'

const portOf = (number: number) => String(1 + (number % 65_535))

export const crash: Proof['crash'] = {
  shows: {
    firewalls: (firewall) => ({
      ...showsNamed(firewall),
      port: firewall.rules[0]?.port ?? '',
      server: firewall.applied_to
        .map(({ server }: ReturnType<typeof toServer>) => keyOf('servers', server.id))
        .join(' '),
    }),
  },
  writes: {
    'POST /firewalls': (draw) => {
      const server = draw.oneOf([false, true]) ? draw.any('servers') : undefined
      const port = portOf(draw.number)
      return {
        body: { ...named(draw), rules: [allow(port)], apply_to: server ? [toServer(server.id)] : [] },
        makes: { ...namedState(draw), port, server: server?.key ?? '' },
      }
    },
    'PUT /firewalls/{firewalls}': renames,
    'DELETE /firewalls/{firewalls}': removes,
    'POST /firewalls/{firewalls}/actions/set_rules': ({ number }) => ({
      body: { rules: [allow(portOf(number))] },
      to: { port: portOf(number) },
    }),
    'POST /firewalls/{firewalls}/actions/apply_to_resources': when(
      ({ server }) => !server,
      ({ any }) => {
        const { id, key } = any('servers')
        return { body: { apply_to: [toServer(id)] }, to: { server: key } }
      },
    ),
    'POST /firewalls/{firewalls}/actions/remove_from_resources': when(
      ({ server }) => Boolean(server),
      (_, { state }) => ({
        body: { remove_from: [toServer(Number(state.server!.split('/')[1]))] },
        to: { server: '' },
      }),
    ),
  },
}
