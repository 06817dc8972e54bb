/** Projects share the places of actions while more actions wait than there are places. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachBareDatabase, run, until } from '../../../test/kit/database/bare-database.ts'
import { openBench } from '../../../test/kit/samples/action-bench.ts'
import { createProject } from '../access/projects.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import { type ActionDefinition, defineAction } from './define.ts'
import { startAction } from './store.ts'

/** Places of one engine. */
const atOnce = 128

forEachBareDatabase('Projects that share the places of actions', (openBare, engineName) => {
  async function open() {
    const bare = await openBare()
    const { db } = bare
    /** The Projects of actions, in the order in which the actions began. */
    const begun: ProjectId[] = []
    const running: (() => void)[] = []
    let isHeld = true
    const definition = defineAction({
      command: 'change_thing',
      family: 'things',
      steps: [
        {
          name: 'wait',
          run: async ({ scope }) => {
            begun.push(scope.projectId)
            if (isHeld) await new Promise<void>((resolve) => running.push(resolve))
          },
        },
      ],
    }) as ActionDefinition
    const project = async (name: string): Promise<ProjectScope> => ({
      projectId: (await db.transact((tx) => createProject(tx, name, '2026-11-21T12:00:00Z'))).id,
    })
    const start = async (scope: ProjectScope, count: number) => {
      const resources = [{ type: 'thing', id: 1 }]
      for (let left = count; left > 0; left -= 50) {
        const some = Array.from({ length: Math.min(50, left) })
        await db.transact(async (tx) => {
          for (const _ of some) await startAction(tx, scope, { definition, input: {}, resources })
        })
      }
    }
    const letAllEnd = () => {
      isHeld = false
      for (const end of running.splice(0)) end()
    }
    const { engine, now } = await openBench(bare)
    return { ...bare, clock: now, begun, running, definition, project, start, letAllEnd, engine }
  }

  test('a single action begins long before those that waited earlier for two busy Projects', async () => {
    const { project, start, engine, begun, running, definition, letAllEnd } = await open()
    const [one, other, small] = [await project('one'), await project('other'), await project('small')]
    await start(one, 400)
    await start(other, 400)
    const first = engine([definition])
    await first.start()
    await until(() => running.length === atOnce, 'all places are taken')
    await start(small, 1)
    // Others begin in the places of those that ended, before more of them end.
    for (let ended = atOnce / 4; !begun.includes(small.projectId); ended += atOnce / 4) {
      assert.ok(ended <= atOnce, 'it begins before all those have ended that ran when it came')
      for (const end of running.splice(0, atOnce / 4)) end()
      await until(() => begun.length >= atOnce + ended - atOnce / 8, 'others begin')
    }
    letAllEnd()
    await first.idle()
    assert.equal(begun.length, 801)
  })

  test('each of many Projects has its turn, in the order of turns rather than of age', async () => {
    const { project, start, engine, begun, definition, letAllEnd } = await open()
    const old = [await project('old'), await project('older')]
    for (const scope of old) await start(scope, 300)
    const young: ProjectScope[] = []
    for (let number = 1; number <= 40; number++) young.push(await project(`young ${number}`))
    for (const scope of young) await start(scope, 2)
    letAllEnd()
    await engine([definition]).idle()
    assert.equal(begun.length, 680)
    for (const { projectId } of young) {
      const place = begun.indexOf(projectId)
      assert.ok(place < 600, `the first action of ${projectId} began in place ${place}`)
    }
    for (const { projectId } of old) {
      const early = begun.slice(0, 340).filter((id) => id === projectId).length
      assert.ok(early > 60, `${early} of the first 340 were of ${projectId}`)
    }
  })

  test('paused actions of many Projects keep nobody from the places', async () => {
    const { db, clock, project, start, engine, begun, definition, letAllEnd } = await open()
    for (let number = 1; number <= 40; number++) await start(await project(`paused ${number}`), 1)
    await run(db, `update action set run_after = ${(await clock()) + 30_000}`)
    const busy = [await project('one'), await project('other'), await project('last')]
    for (const scope of busy) await start(scope, 150)
    letAllEnd()
    const running = engine([definition])
    await running.start()
    await until(() => begun.length === 450, 'all that is not paused has begun')
  })

  if (engineName === 'sqlite') return
  test('two processes give their places out in turn', async () => {
    const bench = await open()
    const { project, start, engine, begun, definition, letAllEnd, another } = bench
    const [one, other, small] = [await project('one'), await project('other'), await project('small')]
    await start(one, 500)
    await start(other, 500)
    await start(small, 1)
    letAllEnd()
    const both = [engine([definition]), engine([definition], { db: await another() })]
    await Promise.all(both.map((each) => each.start()))
    await until(() => begun.length === 1_001, 'all have begun')
    const place = begun.indexOf(small.projectId)
    assert.ok(place < 800, `the single action began in place ${place}`)
  })
})
