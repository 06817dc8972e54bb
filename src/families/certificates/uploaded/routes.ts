/** Uploads of certificates through the API. */
import type { Static } from 'typebox'
import type { Handlers } from '../../../kernel/contract/contract.ts'
import { invalidInput } from '../../../kernel/errors.ts'
import { adding } from '../../../kernel/resource/work.ts'
import type { Platform } from '../../../platform.ts'
import type { certificateEndpoints } from '../contract.ts'
import type { KeyPair } from '../domain.ts'
import { certificates } from '../store.ts'
import { certificateToWire } from '../view.ts'
import { openParser } from './parser.ts'
import { insertUploaded } from './store.ts'

/** The handler that creates uploaded certificates. */
export function uploadedRoutes(platform: Platform): Pick<Handlers<typeof certificateEndpoints>, 'create'> {
  const { clock, secrets } = platform
  const parse = openParser()
  return {
    async create({ scope, body }) {
      const { name, labels = {} } = body
      const keyPair = keyPairOf(body)
      const facts = await parse(keyPair, clock.now())
      const certificate = await adding(platform, certificates, scope, (tx) =>
        insertUploaded(tx, secrets, scope, { name, labels, facts, ...keyPair }),
      )
      return { certificate: certificateToWire(certificate), action: null }
    },
  }
}

type Body = Static<(typeof certificateEndpoints)['create']['body']>

/** The key pair of an upload. Errors: `invalid_input` for each field that is missing or out of place. */
function keyPairOf({ certificate, private_key: privateKey, domain_names }: Body): KeyPair {
  if (certificate !== undefined && privateKey !== undefined && domain_names === undefined) {
    return { certificate, privateKey }
  }
  throw invalidInput([
    ...(certificate === undefined ? [{ field: 'certificate', message: 'is required' }] : []),
    ...(privateKey === undefined ? [{ field: 'private_key', message: 'is required' }] : []),
    ...(domain_names === undefined ? [] : [{ field: 'domain_names', message: 'is for managed certificates only' }]),
  ])
}
