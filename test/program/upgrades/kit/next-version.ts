/** Makes the bundle that of a next version, which has one more migration: the one in `WOLKE_TEST_MIGRATION`, as JSON. */
import { registerHooks } from 'node:module'

/** The list of all migrations in the bundle. */
const list = /\bm0001:\(\) ?=> ?[\w$]+,(?:\s*m\d{4}:\(\) ?=> ?[\w$]+,?)+/

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!/\/dist\/[^/]+\.js$/.test(url)) return loaded
    const source = String(loaded.source)
    return {
      ...loaded,
      source: source.replace(list, (all) => `${all},m9999:()=>(${process.env.WOLKE_TEST_MIGRATION})`),
    }
  },
})
