/** Where people listen to what changes in a Project, below the base of that Project. */
export const eventsPath = '/events'
