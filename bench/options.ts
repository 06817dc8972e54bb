/** The options of `npm run bench`. */
import { parseArgs } from 'node:util'

export interface Asked {
  /** Names of benchmarks. */
  readonly only: readonly string[]
  readonly json?: string
  readonly quick: boolean
  /** Compares with the commit before and with the figures in the tree, instead of running benchmarks. */
  readonly check?: {
    /** Writes the figures into the tree. */
    readonly keep: boolean
    /** A commit to compare with instead of the one before. */
    readonly against?: string
  }
}

/** Options that cannot be followed, and why. */
export class Refusal extends Error {}

/** Reads the options. Errors: `Refusal`. */
export function readOptions(args: readonly string[], names: readonly string[]): Asked {
  const { only = names, json, quick = false, check, keep = false, against } = parsed(args)
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Refusal(`no benchmark '${unknown}'; there are ${names.join(', ')}`)
  if (check) {
    const other = Object.entries({ '--only': only !== names, '--json': json !== undefined, '--quick': quick })
    const beside = other.find(([, isGiven]) => isGiven)?.[0]
    if (beside) throw new Refusal(`--check always measures the same, so ${beside} has no place beside it`)
  } else if (keep || against !== undefined) throw new Refusal(`--${keep ? 'keep' : 'against'} needs --check`)
  return {
    ...{ only, quick },
    ...(json === undefined ? {} : { json }),
    ...(check ? { check: { keep, ...(against === undefined ? {} : { against }) } } : {}),
  }
}

function parsed(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string', multiple: true },
        json: { type: 'string' },
        quick: { type: 'boolean' },
        check: { type: 'boolean' },
        keep: { type: 'boolean' },
        against: { type: 'string' },
      },
    })
    return values
  } catch (error) {
    throw new Refusal((error as Error).message)
  }
}
