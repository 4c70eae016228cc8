// A process that holds a state at a server until it is killed.
import { openServerState, type ServerPlace } from '../../../src/store/state-store.ts'

const [place = '', leaseMs = ''] = process.argv.slice(2)
openServerState(JSON.parse(place) as ServerPlace, { pid: process.pid, since: 0, leaseMs: Number(leaseMs) })
process.send?.('held')
process.on('message', () => undefined)
