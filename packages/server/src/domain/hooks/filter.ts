import { severityRanks } from '../findings/scales.ts'
import type { Hook, HookOwner } from './hook.ts'
import type { EventBody } from './hook-event-body.ts'

type Filter = Pick<Hook, 'minSeverity' | 'states' | 'refs' | 'projectIds' | 'savedViewId'>

/** Event to record, with facts that only filters need. */
export interface NewEvent {
  body: EventBody
  /** Refs with the vulnerability. Needed only if a hook filters by ref. */
  refs?: readonly string[]
  /** Ids of the saved views that contain the vulnerability. Needed only if a view filters a hook. */
  viewIds?: ReadonlySet<number> | undefined
}

/** Returns false when the hook has a list of projects and the events belong to another one. */
export function acceptsOwner({ projectIds }: Filter, owner: HookOwner): boolean {
  return projectIds === null || owner.kind !== 'project' || projectIds.includes(owner.id)
}

/** Returns whether the hook receives an event. Severities, states and views restrict vulnerability events only. */
export function acceptsEvent(
  { minSeverity, states, refs, savedViewId }: Filter,
  { body, refs: own, viewIds }: NewEvent,
): boolean {
  if (!('object_kind' in body)) return true
  if (body.object_kind === 'security_report') return matchesRef(refs, [body.object_attributes.ref])
  if (body.object_kind !== 'vulnerability') return true
  const { severity, state } = body.object_attributes
  if (minSeverity !== null && severityRanks[severity] < severityRanks[minSeverity]) return false
  if (savedViewId !== null && !viewIds?.has(savedViewId)) return false
  return (states === null || states.includes(state)) && matchesRef(refs, own ?? [])
}

function matchesRef(patterns: readonly string[] | null, refs: readonly string[]): boolean {
  return patterns === null || patterns.some((pattern) => refs.some((ref) => matchesPattern(pattern, ref)))
}

/** Compares a ref with a pattern in which `*` stands for any characters. Takes the earliest match of each part. */
export function matchesPattern(pattern: string, ref: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return ref === pattern
  if (!ref.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = ref.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return ref.length - last.length >= at && ref.endsWith(last)
}
