/** The distributions that an image can be of, as clients know them (spec: Image). */
export const osFlavors = ['alma', 'centos', 'debian', 'fedora', 'opensuse', 'rocky', 'ubuntu', 'unknown'] as const
