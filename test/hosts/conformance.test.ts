/** The promises of every infrastructure, held by real hosts. */
import { holdPromises } from '../conformance/suite.ts'
import { inLab, placeOfProject } from './kit/place.ts'

// Servers that boot wait more than they work.
holdPromises('hosts', placeOfProject, { ...inLab, concurrency: 3 })
