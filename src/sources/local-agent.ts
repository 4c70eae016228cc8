// Without encryption addresses on this machine alone are asked. Node may be told to use a proxy of the environment
// (NODE_USE_ENV_PROXY, HTTP_PROXY), which would take such a request off the machine, credentials and all.
import { Agent } from 'node:http'

/** For got: unencrypted requests go to their address directly. Encrypted ones are tunnelled by a proxy, which reads nothing. */
export const localAgent = (): { readonly http: Agent } => ({ http: new Agent({ keepAlive: true }) })
