import type { PastEntry } from './history-entry.ts'

type Told = Pick<PastEntry, 'kind' | 'ref' | 'from' | 'to' | 'comment' | 'dismissalReason' | 'details'>

/** Describes a history entry as a sentence without subject. State and severity changes have GitLab's wording. */
export function historyText({ kind, ref, from, to, comment, dismissalReason, details }: Told): string {
  switch (kind) {
    case 'created':
      return 'created vulnerability from a finding'
    case 'state': {
      const reason = to === 'dismissed' && dismissalReason ? `: ${capitalised(dismissalReason)}` : ''
      const end = to === 'dismissed' ? endIn(details) : ''
      const verb = to === 'detected' ? 'reverted' : 'changed'
      const where = inGroup(details)
      if (where && from === to && to !== 'dismissed') return `ended its dismissal${where}${commented(comment)}`
      return `${verb} vulnerability status from ${capitalised(from)} to ${capitalised(to)}${where}${reason}${end}${byRule(details)}${commented(comment)}`
    }
    case 'ref_state': {
      const reason = to === 'dismissed' && dismissalReason ? `: ${capitalised(dismissalReason)}` : ''
      const verb = to === 'dismissed' ? 'dismissed vulnerability on' : 'ended the dismissal of vulnerability on'
      return `${verb} ${ref}${reason}${to === 'dismissed' ? endIn(details) : ''}${commented(comment)}`
    }
    case 'severity':
      return `changed vulnerability severity from ${capitalised(from)} to ${capitalised(to)}${byRule(details)}${commented(comment)}`
    case 'due_date':
      return `${dueDateText(from, to)}${byRule(details)}${commented(comment)}`
    case 'assignee':
      return `${assigned(from, to)}${byCodeowners(details)}${byRule(details)}${commented(comment)}`
    case 'tags':
      return `${tagged(details)}${byRule(details)}${commented(comment)}`
    case 'found':
      return `found on ${ref}`
    case 'gone':
      return `no longer found on ${ref}`
    case 'back':
      return `found again on ${ref}`
    case 'matched':
      return recognised(textIn(details, 'reason') ?? 'identity')
    case 'dismissal_requested': {
      const reason = dismissalReason ? `: ${capitalised(dismissalReason)}` : ''
      return `requested approval of a dismissal${reason}${endIn(details)}${commented(comment)}`
    }
    case 'dismissal_approved':
      return `approved the dismissal${commented(comment)}`
    case 'dismissal_rejected':
      return `rejected the dismissal${commented(comment)}`
    case 'dismissal_withdrawn':
      return `withdrew the request for a dismissal${commented(comment)}`
    case 'dismissal_expired':
      return 'the request for a dismissal expired without a decision'
    case 'note':
      return comment ?? ''
    case 'note_deleted':
      return 'deleted a note'
    case 'linked':
      return `linked to ${textIn(details, 'url')}`
    case 'unlinked':
      return `removed the link to ${textIn(details, 'url')}`
    case 'flaw_split':
    case 'flaw_joined':
    case 'flaw_undone':
      return flawText(kind, details)
  }
}

function flawText(kind: 'flaw_split' | 'flaw_joined' | 'flaw_undone', details: object | null): string {
  if (kind === 'flaw_undone') return `undid the ${textIn(details, 'flaw_change_kind')} of the flaw`
  return kind === 'flaw_split'
    ? 'split vulnerability from its flaw'
    : 'joined the flaw of this vulnerability with another one'
}

const dueDateText = (from: string | null, to: string | null): string => {
  if (from === to) return `restored the due date of the policy, ${to}`
  if (from === null) return `set the due date to ${to}`
  return to === null ? `removed the due date ${from}` : `changed the due date from ${from} to ${to}`
}

function assigned(from: string | null, to: string | null): string {
  if (to === null) return `unassigned ${from ?? 'a user'}`
  return from === null ? `assigned to ${to}` : `reassigned from ${from} to ${to}`
}

function tagged(details: object | null): string {
  const listed = (name: string) => {
    const tags = valueIn(details, name)
    return Array.isArray(tags) && tags.length > 0
      ? `${tags.length === 1 ? 'tag' : 'tags'} ${tags.join(', ')}`
      : undefined
  }
  const [added, removed] = [listed('tags_added'), listed('tags_removed')]
  return [added && `added the ${added}`, removed && `removed the ${removed}`].filter(Boolean).join(' and ')
}

const recognised = (reason: string): string =>
  reason === 'nearest'
    ? 'recognised at another line as the nearest one of its rule'
    : `recognised at another place by its ${reason.replaceAll('_', ' ')}`

/** Names the line of CODEOWNERS that assigned a vulnerability. */
function byCodeowners(details: object | null): string {
  const rule = valueIn(details, 'codeowners') as { line?: unknown } | null | undefined // see `assign-owners.ts`
  return typeof rule?.line === 'number' ? ` by CODEOWNERS (line ${rule.line})` : ''
}

/** Names the group to whose projects a decision applies. */
function inGroup(details: object | null): string {
  const group = textIn(details, 'group')
  return group === undefined ? '' : ` in all projects of group ${group}`
}

/** Describes when a dismissal ends. */
function endIn(details: object | null): string {
  const until = textIn(details, 'dismissed_until')
  const untilFixed = isTrueIn(details, 'dismissed_until_fixed') ? 'until a fix is available' : undefined
  const ends = [until && `until ${until}`, untilFixed].filter((end) => end !== undefined)
  return ends.length === 0 ? '' : `, ${ends.join(' or ')}`
}

/** Names the rule that made the change, or states that it no longer applies. */
function byRule(details: object | null): string {
  const rule = textIn(details, 'rule')
  if (rule !== undefined) return ` by the rule “${rule}”`
  const reverted = valueIn(details, 'reverted_rule_id')
  return typeof reverted === 'number' ? `, because rule ${reverted} no longer applies` : ''
}

const commented = (comment: string | null) => (comment ? ` with the following comment: "${comment}"` : '')

/** Capitalises a key: `used_in_tests` becomes `Used in tests`. */
export function capitalised(key: string | null): string {
  const words = (key ?? '').replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isTrueIn = (details: object | null, name: string) => valueIn(details, name) === true

function textIn(details: object | null, name: string): string | undefined {
  const value = valueIn(details, name)
  return typeof value === 'string' ? value : undefined
}

const valueIn = (details: object | null, name: string): unknown => (details as Record<string, unknown> | null)?.[name] // as it was written to the journal
