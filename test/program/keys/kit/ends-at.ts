/** Ends the process, as `kill -9` does, when it is about to encrypt for the nth time: n is `WOLKE_TEST_ENDS_AT`. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { createCipheriv } = crypto
const endsAt = Number(process.env.WOLKE_TEST_ENDS_AT)
let count = 0

crypto.createCipheriv = ((...given: Parameters<typeof createCipheriv>) => {
  if (++count === endsAt) process.kill(process.pid, 'SIGKILL')
  return createCipheriv(...given)
}) as typeof createCipheriv
syncBuiltinESMExports()
