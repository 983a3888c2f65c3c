import type { Severity, State } from '../findings/scales.ts'
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
  /** States of the vulnerabilities whose events the hook receives; null for all. */
  states: readonly State[] | null
  /** Refs whose events the hook receives, with `*` for any characters; null for all. */
  refs: readonly string[] | null
  /** Projects whose events a hook of a group or of the instance receives; null for all. */
  projectIds: readonly number[] | null
  /** Shared view of the same place, to which the vulnerabilities of sent events must belong; null for all. */
  savedViewId: number | null
  hasVulnerabilityEvents: boolean
  hasImportEvents: boolean
  hasUploadEvents: boolean
  hasTopicEvents: boolean
  hasMemberEvents: boolean
  /** Whether the hook receives notices of access tokens that expire soon. */
  hasAccessTokenEvents: boolean
  /** Whether the hook receives events of access tokens that are created, rotated or revoked. */
  hasTokenEvents: boolean
  verifiesCertificates: boolean
  /** Secret values of additional headers by name. */
  customHeaders: Readonly<Record<string, string>>
  /** Secret values by the names that the URL contains in braces. */
  urlVariables: Readonly<Record<string, string>>
}

/**
 * Project, group or instance whose events a hook receives. A group has the events of all projects and groups below it,
 * and the instance has all events.
 */
export type HookOwner = { kind: 'project' | 'group'; id: number } | { kind: 'instance' }

/** URL that receives notifications of changes in a project, in a group or, without an id of either, in the instance. */
export interface Hook extends HookDraft {
  id: number
  projectId: number | null
  namespaceId: number | null
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

export function isOwnedBy({ projectId, namespaceId }: Hook, owner: HookOwner): boolean {
  if (owner.kind === 'instance') return projectId === null && namespaceId === null
  return (owner.kind === 'project' ? projectId : namespaceId) === owner.id
}

/** Number of failures from which a paused hook is reported as temporarily disabled. */
const minFailuresToPause = 4

/** Returns the status in GitLab's words. */
export function alertStatus(hook: Hook, now: string): 'executable' | 'temporarily_disabled' | 'disabled' {
  if (hook.disabledAt !== null) return 'disabled'
  const isPaused = hook.disabledUntil !== null && hook.disabledUntil > now
  return isPaused && hook.failures >= minFailuresToPause ? 'temporarily_disabled' : 'executable'
}

/** Kinds of events that a hook can subscribe to. */
export type EventKind =
  | 'vulnerability'
  | 'import'
  | 'held-report'
  | 'upload'
  | 'topic'
  | 'member'
  | 'expiring-token'
  | 'token'
