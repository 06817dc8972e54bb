/** Routes of private networks. */
import { carryOut } from '../../../../protocols/ovsdb/change.ts'
import { deleteGroup, findGroups, putGroup, readGroups } from '../groups/groups.ts'
import {
  formatRoutes,
  networkGroup,
  networkOwner,
  parseRoutes,
  placesIn,
  putPlace,
  type Routes,
  readPlace,
} from '../marks/places.ts'
import type { Site } from '../site.ts'
import { putRoutes } from './routes.ts'

export class PrivateRoutes {
  readonly #site: Site

  constructor(site: Site) {
    this.#site = site
  }

  /** Makes these be all routes of a network. Their gateways may send from where the routes lead. */
  async apply(network: number, generation: number, incusNetwork: string, routes: Routes): Promise<void> {
    await carryOut(this.#site.database, async (change) => {
      const logical = await this.#site.logical(incusNetwork)
      const [group] = await readGroups(this.#site.database, [networkGroup(network)])
      const { generation: known = '-1', routes: text } = group!.marks ?? {}
      if (generation < Number(known)) return
      const owner = networkOwner(network)
      const hops = new Map(routes.map(({ destination, gateway }) => [destination, gateway]))
      const former = parseRoutes(text).map(({ destination }) => destination)
      await putRoutes(this.#site.database, change, logical, { owner, routes: hops, former, takes: true })
      const marks = { wolke: owner, generation: String(generation), routes: formatRoutes(routes) }
      putGroup(change, group!, { marks, acls: [], port: null })
      for (const member of await findGroups(this.#site.database, placesIn(network))) {
        const place = readPlace(member)
        if (place) putPlace(change, logical, member, place, routes)
      }
    })
  }

  /** Forgets the routes of a network that is gone, with which they went. */
  async forget(network: number, generation: number): Promise<void> {
    await carryOut(this.#site.database, async (change) => {
      const [group] = await readGroups(this.#site.database, [networkGroup(network)])
      if (generation < Number(group!.marks?.generation ?? -1)) return
      deleteGroup(change, group!)
      for (const member of await findGroups(this.#site.database, placesIn(network))) deleteGroup(change, member)
    })
  }
}
