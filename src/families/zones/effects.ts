/** What other families, and the name server, may change about zones. */
export { announceAllDns, announceDns } from './announcements/store.ts'
export { type Challenge, placeChallenge, removeChallenge } from './challenges/store.ts'
export { holdZones } from './store.ts'
export { claimCheck, wakeCheck } from './transfers/store.ts'
export { storeTransfer, type TransferredRrset } from './transfers/work.ts'
