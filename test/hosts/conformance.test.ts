/** The promises of every infrastructure, held by real hosts. */
import { holdPromises } from '../conformance/suite.ts'
import { inLab, labPlace } from './place.ts'

holdPromises('hosts', labPlace, inLab)
