/** The promises of every infrastructure, held by the simulated one. */

import { simulatedPlace } from '../conformance/simulated.ts'
import { holdPromises } from '../conformance/suite.ts'
import { forDatabasesInTurn } from '../kit/harness.ts'

forDatabasesInTurn('an infrastructure', (open) => {
  holdPromises('that is simulated', async () => simulatedPlace(await open()))
})
