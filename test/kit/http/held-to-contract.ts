/** Holds every exchange of tests against the contract. */
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { Endpoint } from '../../../src/kernel/contract/contract.ts'
import { declaredCodes, troubleCodes } from '../../../src/kernel/contract/errors.ts'
import type { Exchange } from '../../../src/kernel/http/api/exchange.ts'

const validators = new Map<TSchema, Validator>()

function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema)
  if (known) return known
  const made = Compile(closed(schema))
  validators.set(schema, made)
  return made
}

/** Closes every object of a schema, so that surplus fields are found. */
function closed<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(closed) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  if (copy.type === 'object' && copy.properties) copy.additionalProperties = false
  return copy as T
}

/** Adds to `failures` when an answer has an error code or a reply that its endpoint does not declare. */
export function holdAgainstContract({ endpoint, code, reply }: Exchange, failures: Error[]): void {
  const name = endpoint && `${endpoint.method} ${endpoint.path}`
  if (endpoint && code && !declaredCodes(endpoint).has(code) && !troubleCodes.has(code)) {
    failures.push(new Error(`${name} answered with ${code}, which it does not declare`))
  }
  if (endpoint?.reply && code === undefined) checkReply(name as string, endpoint, reply, failures)
}

function checkReply(name: string, endpoint: Endpoint, reply: unknown, failures: Error[]): void {
  const validator = validatorOf(endpoint.reply as TSchema)
  if (validator.Check(reply)) return
  const problems = [...validator.Errors(reply)].slice(0, 5).map((e) => `${e.instancePath || '/'} ${e.message}`)
  failures.push(new Error(`${name} replied with what it does not promise: ${problems.join('; ')}`))
}
