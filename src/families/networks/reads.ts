/** What others may ask about networks. */
export { interfacesOf, type OwnInterface } from './members/desired.ts'
export { onTheWay, placesOf, placesWith } from './members/store.ts'
export { vswitchRangesOf } from './store.ts'
