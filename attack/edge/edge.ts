/** Attacks the HTTP edge, as anybody who can reach the port, with or without a token. */
import type { Attack, Finding } from '../attack.ts'
import { bodies, crowd, floods } from './floods.ts'
import { malformed, slow } from './malformed.ts'

/** Malformed requests never reach the database, so one engine is enough. */
export const edge: Attack = {
  name: 'edge',
  databases: ['sqlite'],
  async run(context) {
    const installation = await context.install()
    const findings: Finding[] = []
    for (const part of [malformed, slow, bodies, floods, crowd]) findings.push(...(await part(context, installation)))
    return findings
  },
}
