// Which folder lies on another machine: its address has a scheme.

export const isRemote = (folder: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(folder)
