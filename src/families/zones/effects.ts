/** What other families, and the name server, may change about zones. */
export { type Challenge, placeChallenge, removeChallenge } from './challenges.ts'
export { holdZones } from './store.ts'
export { claimCheck, storeTransfer, wakeCheck } from './transfers.ts'
