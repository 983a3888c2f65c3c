import { type AuditedChanges, instanceEntity } from '../audit/audit-event.ts'
import type { AuditEventName } from '../audit/event-name.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import { findEntity } from '../projects/audited-place.ts'
import type { Hook, HookDraft, HookOwner } from './hook.ts'

const verbs: Readonly<Partial<Record<AuditEventName, string>>> = {
  webhook_created: 'Created',
  webhook_updated: 'Changed',
  webhook_destroyed: 'Deleted',
}

/** Records a change of a hook. Of its URL only the origin is stored, because the rest often is a secret. */
export async function recordHookEvent(
  deps: Deps,
  name: 'webhook_created' | 'webhook_updated' | 'webhook_destroyed',
  owner: HookOwner,
  { hook, changes = {} }: { hook: Pick<Hook, 'id' | 'url'>; changes?: AuditedChanges },
): Promise<void> {
  await recordAuditEvent(deps, name, {
    entity: owner.kind === 'instance' ? instanceEntity : await findEntity(deps, owner),
    message: `${verbs[name]} the webhook ${hook.id}`,
    target: { type: 'WebHook', id: hook.id, name: originOf(hook.url) },
    changes,
  })
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : '')

/** Returns what a change of a hook does, without its secrets. */
export function describeHookChange(before: HookDraft, after: HookDraft): AuditedChanges {
  const changes: Record<string, { from: unknown; to: unknown }> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof HookDraft>) {
    if (!shown.includes(name) || JSON.stringify(before[name]) === JSON.stringify(after[name])) continue
    changes[name] = { from: before[name], to: after[name] }
  }
  if (before.url !== after.url) changes['url'] = { from: originOf(before.url), to: originOf(after.url) }
  return changes
}

const shown: readonly string[] = [
  ...['name', 'description', 'format', 'minSeverity'],
  ...['states', 'refs', 'projectIds', 'savedViewId'],
  ...['hasVulnerabilityEvents', 'hasImportEvents', 'hasUploadEvents', 'hasTopicEvents'],
  ...['hasMemberEvents', 'hasAccessTokenEvents', 'hasTokenEvents', 'verifiesCertificates'],
]
