/** Words of the overview pages. */
export const overview = { title: 'overview' }
