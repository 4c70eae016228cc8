// An answer that changes the protocol (101) has no body and no end. got listens for it, so Node does not close the connection,
// and waits without end; its time-outs do not apply any more, and the open connection keeps the process from ending.
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** Lets such an answer fail like a lost connection. To be called with the request of each call of got. */
export function refuseProtocolChange(request: ClientRequest): void {
  request.once('upgrade', (_head: IncomingMessage, socket: Duplex) => {
    socket.destroy()
    const error = new Error('the answer changes the protocol')
    request.emit('error', Object.assign(error, { code: 'PROTOCOL_CHANGED' }))
  })
}
