// A message as a plain mail by SMTP. A server that offers no encryption gets nothing, unless it is this machine.
import { createTransport } from 'nodemailer'
import { plainText } from '../core/alerts/alert-message.ts'
import type { Receiver } from '../core/alerts/receiver.ts'
import type { Delivery, DeliverOptions, Outgoing } from './outgoing.ts'

type MailReceiver = Extract<Receiver, { kind: 'mail' }>

function transportTo(receiver: MailReceiver, timeoutMs: number) {
  const { host, port, security, user, password } = receiver
  return createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'plain',
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** A code of nodemailer (EAUTH, ETLS) or of Node, and the number of the server's answer; never its words. */
function reasonOf(error: unknown): string {
  const { code, responseCode } = (error instanceof Error ? error : {}) as {
    code?: unknown
    responseCode?: unknown
  }
  const parts = [code, responseCode].filter((part) => typeof part === 'string' || typeof part === 'number')
  return `not accepted (${parts.length === 0 ? 'no code' : parts.join(' ')})`
}

export async function mail(
  receiver: MailReceiver,
  message: Outgoing,
  options: DeliverOptions,
): Promise<Delivery> {
  const transport = transportTo(receiver, options.timeoutMs)
  try {
    await transport.sendMail({
      from: receiver.from,
      to: [...receiver.to],
      subject: message.title,
      text: plainText(message),
      // The same each time, so that a mail that came twice can be known.
      messageId: `<${message.id}@contact-sync>`,
      date: new Date(options.at),
      signal: options.signal,
      headers: { 'auto-submitted': 'auto-generated', 'x-auto-response-suppress': 'All' },
    })
    return { delivered: true }
  } catch (error) {
    return { delivered: false, reason: reasonOf(error) }
  } finally {
    transport.close()
  }
}
