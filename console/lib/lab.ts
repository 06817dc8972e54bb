/** True when the cloud is a lab: the server says it in the page. */
export const isLab = document.documentElement.dataset.lab !== undefined

const ofLabs = ['lab', 'report']

/** Tells whether a page about the installation is there: some are about labs alone. */
export const isThere = (tab: string): boolean => isLab || !ofLabs.includes(tab)
