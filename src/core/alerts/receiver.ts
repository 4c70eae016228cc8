// Where a message about a condition goes.

export type Receiver =
  | {
      readonly kind: 'webhook'
      readonly url: string
      readonly format: 'json' | 'slack'
      /** Messages are signed with it; undefined: they are not. */
      readonly secret: string | undefined
    }
  | {
      readonly kind: 'mail'
      readonly host: string
      readonly port: number
      /** tls: from the first byte. starttls: before any other command. plain: on this machine alone. */
      readonly security: 'tls' | 'starttls' | 'plain'
      readonly user: string | undefined
      readonly password: string | undefined
      readonly from: string
      readonly to: readonly string[]
    }
