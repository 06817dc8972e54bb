/** The edge: whoever can reach the port, with a token or without. */
import type { Attack, Finding } from '../attack.ts'
import { bodies, floods } from './floods.ts'
import { malformed, slow } from './malformed.ts'

/** What is malformed never comes as far as the database. */
export const edge: Attack = {
  name: 'edge',
  databases: ['sqlite'],
  async run(context) {
    const installation = await context.install()
    const findings: Finding[] = []
    for (const part of [malformed, slow, bodies, floods]) findings.push(...(await part(context, installation)))
    return findings
  },
}
