// The last requests of a sandbox, for tests and demos that look back at them.

/** A request as it came, and the status that answered it; 0 where the connection was closed instead. */
export interface SandboxRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  /** As parsed from JSON, else as text; null where there was none, or it must not be shown (`--control`). */
  readonly body: unknown
  readonly status: number
}

const REMEMBERED = 10_000

export function createSeen() {
  let requests: SandboxRequest[] = []
  return {
    note(request: SandboxRequest): void {
      if (requests.length >= REMEMBERED) requests.shift()
      requests.push(request)
    },
    clear: () => void (requests = []),
    get all(): readonly SandboxRequest[] {
      return requests
    },
  }
}

/** A body for the list: JSON where it is some. */
export function shownBody(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
