/** Simulated consoles: each machine has one screen, and everybody who looks at it sees the same. */
import type { Duplex } from 'node:stream'
import type { ConsoleDriver } from '../../families/servers/screens/driver.ts'
import { DriverError } from '../../kernel/actions/define.ts'
import { RfbServer } from '../../protocols/rfb/server.ts'
import { SimulatedTerminal } from './screens/terminal.ts'
import { simulateServers } from './servers.ts'
import type { Site } from './simulation.ts'

/** The screen of a machine with power, and who looks at it. */
interface Screen {
  readonly terminal: SimulatedTerminal
  readonly viewers: Set<RfbServer>
}

/** Creates the driver of consoles. */
export function simulateConsoles(site: Site) {
  const servers = site.part(simulateServers)
  const end = (id: number) => {
    const viewers = screens.get(id)?.viewers ?? []
    screens.delete(id)
    for (const viewer of viewers) viewer.close()
  }
  // Nobody looks at the machines of a copy yet.
  const screens = site.keep<Map<number, Screen>>('screens', {
    fresh: () => new Map(),
    copy: () => new Map(),
    forget(known, ids) {
      for (const id of known.keys()) if (ids.has(id)) end(id)
    },
    save: () => null,
    load: () => new Map(),
  })

  servers.onChange((server) => {
    const { id } = server.state
    if (server.power === 'off') end(id)
    else screens.get(id)?.terminal.follow(server)
  })
  servers.onRemoval(end)

  const connect = (id: number): RfbServer | undefined => {
    const server = servers.world.servers.get(id)
    if (server?.power !== 'on') return undefined
    const screen = screens.get(id) ?? { terminal: new SimulatedTerminal(server), viewers: new Set() }
    screens.set(id, screen)
    const viewer = new RfbServer(screen.terminal)
    screen.viewers.add(viewer)
    viewer.once('close', () => screen.viewers.delete(viewer))
    return viewer
  }

  const driver: ConsoleDriver = {
    async open(id) {
      let viewer: Duplex | undefined
      await site.perform({ driver: 'console', method: 'open', subject: id }, () => {
        viewer = connect(id)
      })
      if (!viewer) throw new DriverError('the server has no power', { transient: false })
      return viewer
    },
  }
  return { drivers: { console: driver }, world: {}, direct: ['console.open'] }
}
