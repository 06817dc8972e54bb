/** Words of the page of glossaries. */
export const glossaries = { title: 'Glossaries' }
