/** An address that wants to hear of what changes in a project. */
export interface Hook {
  id: number
  projectId: number
  url: string
  name: string | null
  description: string | null
  /** Sent with every delivery, so that the receiver knows who sends it. */
  token: string | null
  hasVulnerabilityEvents: boolean
  verifiesCertificates: boolean
  /** One after the other, since the last delivery that succeeded. */
  failures: number
  /** Nothing is sent before this time. */
  disabledUntil: string | null
  /** Its receiver answered slowly; until then its deliveries run in the slow lane. */
  slowUntil: string | null
  /** Nothing is sent any more, until a test succeeds. */
  disabledAt: string | null
  createdAt: string
}

export interface HookDraft {
  url: string
  name: string | null
  description: string | null
  token: string | null
  hasVulnerabilityEvents: boolean
  verifiesCertificates: boolean
}

/** Fewer are bad luck, not an alarm. */
const fewFailures = 4

/** GitLab's words. */
export function alertStatus(hook: Hook, now: string): 'executable' | 'temporarily_disabled' | 'disabled' {
  if (hook.disabledAt !== null) return 'disabled'
  const isPaused = hook.disabledUntil !== null && hook.disabledUntil > now
  return isPaused && hook.failures >= fewFailures ? 'temporarily_disabled' : 'executable'
}
