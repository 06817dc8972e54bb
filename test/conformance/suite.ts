/**
 * What every infrastructure promises: requests are sent to a real server of Wolke, and what became of them is looked at
 * from inside. In the end nothing is left of what was made.
 */
import assert from 'node:assert/strict'
import { describe, type TestOptions, test } from 'node:test'
import { done } from '../kit/proof.ts'
import * as addresses from './addresses.ts'
import * as disks from './disks.ts'
import * as filters from './filters.ts'
import * as life from './life.ts'
import { type Place, untilNothingIsLeft } from './place.ts'
import * as privates from './private.ts'
import { Stage } from './stage.ts'

const promises: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  'a server answers with the key of the API and has carried out its user data': life.comesUp,
  'a server keeps its disk until it is installed anew': life.keepsItsDisk,
  'a server may get another name': life.isRenamed,
  'a network connects its servers across hosts, and no others': privates.seesItsMembers,
  'a server that is made in a network is in it from its first boot': privates.isBootedInto,
  'a volume keeps its data': disks.keepsItsData,
  'a snapshot boots elsewhere with the data of the disk': disks.bootsElsewhere,
  'a Floating IP follows its server across hosts': addresses.follows,
  'a Primary IP outlives its server': addresses.outlives,
  'a filter drops what no rule accepts': filters.dropsTheRest,
}

/**
 * Declares the tests. `open` is called by each: places that share an infrastructure have a Project each, so that their
 * promises may be held at the same time, as many as `concurrency` says.
 */
export function holdPromises(name: string, open: () => Promise<Place>, options: TestOptions = {}): void {
  describe(name, () => {
    const places: Place[] = []
    describe('promises', { concurrency: options.concurrency ?? 1 }, () => {
      for (const [promise, hold] of Object.entries(promises)) {
        test(promise, { skip: options.skip ?? false }, async () => {
          const place = await open()
          places.push(place)
          try {
            await hold(new Stage(place))
          } finally {
            await clear(place)
          }
        })
      }
    })
    test('nothing is left of all this', { skip: options.skip ?? false }, async () => {
      for (const place of places) await untilNothingIsLeft(place)
      assert.equal(places.length, Object.keys(promises).length)
    })
  })
}

/** In an order in which nothing is kept by what comes after it. */
const lists = [
  '/load_balancers',
  '/certificates',
  '/servers',
  '/volumes',
  '/networks',
  '/floating_ips',
  '/primary_ips',
  '/firewalls',
  '/placement_groups',
  '/ssh_keys',
  '/images?type=snapshot',
]

/** Deletes everything of the Project. */
export async function clear({ api, settle, reconcile }: Place): Promise<void> {
  await settle()
  for (const list of lists) {
    const [family = ''] = list.slice(1).split('?')
    for (const { id } of (await done(api.get(list)))[family]) await done(api.delete(`/${family}/${id}`))
    await settle()
  }
  await reconcile()
}
