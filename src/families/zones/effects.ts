/** What other families, and the name server, may change about zones. */
export { type Challenge, placeChallenge, removeChallenge } from './challenges.ts'
export { claimCheck, storeTransfer, type TransferredRrset, wakeCheck } from './transfers.ts'
