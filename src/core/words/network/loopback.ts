// Which host is this machine itself: what is sent there unencrypted does not leave the machine.

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** `hostname` as in a URL. */
export const isLoopback = (hostname: string): boolean => LOOPBACK.test(hostname)
