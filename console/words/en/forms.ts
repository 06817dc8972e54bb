/** The messages of forms about what is still missing or wrong. */

export const forms = {
  missing: 'Fill in what is missing first',
  typeFirst: (word: string) => `Type ${word} first`,
  storeFirst: 'Store it first, and say so',
  noAddress: 'This is no mail address. One looks like ops@example.com.',
}
