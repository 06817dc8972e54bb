/** True when the cloud is a lab: the server says it in the page. */
export const isLab = document.documentElement.dataset.lab !== undefined
