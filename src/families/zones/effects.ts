/** What other families, and the name server, may change about zones. */
export { announceDns } from './announce.ts'
export { type Challenge, placeChallenge, removeChallenge } from './challenges.ts'
export { holdZones } from './store.ts'
export { claimCheck, storeTransfer, type TransferredRrset, wakeCheck } from './transfers.ts'
