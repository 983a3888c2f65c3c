import type { Severity } from '../findings/scales.ts'
import type { EventBody } from './hook-event-body.ts'
import type { HookFormat } from './hook-format.ts'

export interface HookDraft {
  url: string
  name: string | null
  description: string | null
  /** Secret sent with every delivery, by which the receiver authenticates it. */
  token: string | null
  /** Key with which every delivery is signed. */
  signingToken: string | null
  format: HookFormat
  /** Lowest severity of the vulnerability events that the hook receives; null for all. */
  minSeverity: Severity | null
  hasVulnerabilityEvents: boolean
  /** Whether the hook receives notices of access tokens that expire soon. */
  hasAccessTokenEvents: boolean
  verifiesCertificates: boolean
}

/** Project or group whose events a hook receives. A group has the events of all projects and groups below it. */
export interface HookOwner {
  kind: 'project' | 'group'
  id: number
}

/** URL that receives notifications of changes in a project or group. */
export type Hook = OwnedHook & ({ projectId: number; namespaceId: null } | { projectId: null; namespaceId: number })

interface OwnedHook extends HookDraft {
  id: number
  /** Number of consecutive failed deliveries. */
  failures: number
  /** Deliveries are paused until this time. */
  disabledUntil: string | null
  /** The receiver was slow; its deliveries run in the slow lane until this time. */
  slowUntil: string | null
  /** Time at which the hook was disabled. A successful test enables it again. */
  disabledAt: string | null
  createdAt: string
}

export function isOwnedBy({ projectId, namespaceId }: Hook, { kind, id }: HookOwner): boolean {
  return (kind === 'project' ? projectId : namespaceId) === id
}

/** Number of failures from which a paused hook is reported as temporarily disabled. */
const minFailuresToPause = 4

/** Returns the status in GitLab's words. */
export function alertStatus(hook: Hook, now: string): 'executable' | 'temporarily_disabled' | 'disabled' {
  if (hook.disabledAt !== null) return 'disabled'
  const isPaused = hook.disabledUntil !== null && hook.disabledUntil > now
  return isPaused && hook.failures >= minFailuresToPause ? 'temporarily_disabled' : 'executable'
}

/** Returns GitLab's name for the event that a payload describes. */
export function eventNameOf({
  object_kind: kind,
}: Pick<EventBody, 'object_kind'>): 'Resource Access Token Hook' | 'Security Report Hook' | 'Vulnerability Hook' {
  if (kind === 'access_token') return 'Resource Access Token Hook'
  // Not an event of GitLab.
  if (kind === 'security_report') return 'Security Report Hook'
  return 'Vulnerability Hook'
}

/** Kinds of events that a hook can subscribe to. */
export type EventKind = 'vulnerability' | 'access-token'
