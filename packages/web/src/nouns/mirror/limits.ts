import type { Limits } from '../../data/session.ts'

/** Fields of a project, group or topic that limit what can be changed in it. */
interface Limited {
  archived?: boolean | undefined
  mirrored_from?: { local_changes: 'none' | 'triage' | 'all' } | undefined
}

/** Returns what limits changes in a project, group or topic: it is archived, or a mirror of another server. */
export function limitsOf({ archived, mirrored_from: source }: Limited): Limits {
  const mirror = source?.local_changes
  return { isArchived: archived === true, mirror: mirror === 'all' ? undefined : mirror }
}
