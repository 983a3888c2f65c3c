import { sampleTokenEvent } from '../../../domain/bots/token-events.ts'
import type { Deps } from '../../../domain/deps.ts'
import type { HookOwner } from '../../../domain/hooks/hook.ts'
import type { EventBody } from '../../../domain/hooks/hook-event-body.ts'
import { findSampleProject } from '../../../domain/hooks/sample-place.ts'
import { sampleMemberEvent } from '../../../domain/members/member-events.ts'
import { findNamespaceById } from '../../../domain/namespaces/namespaces.ts'
import { sampleImportEvent } from '../../../domain/reports/imports/import-events.ts'
import { sampleTopicEvent } from '../../../domain/topics/topic-events.ts'
import { sampleUploadEvent } from '../../../domain/uploads/upload-events.ts'
import { describeNewestVulnerability } from '../../../domain/vulnerabilities/triage/history/vulnerability-events.ts'
import { unprocessable } from '../../../platform/failure.ts'

type SampleEvent = (deps: Deps, owner: HookOwner) => EventBody | Promise<EventBody>

const samples = {
  async vulnerability_events(deps, owner) {
    const newest = await describeNewestVulnerability(deps, owner)
    if (!newest) throw unprocessable(`Ensure the ${owner.kind} has vulnerabilities.`)
    return newest
  },
  import_events: sampleImportEvent,
  upload_events: sampleUploadEvent,
  async member_events(deps, owner) {
    const group = owner.kind === 'group' ? await findNamespaceById(deps.db, owner.id) : undefined
    return sampleMemberEvent(deps, group ? { group } : { project: await findSampleProject(deps, owner) })
  },
  resource_access_token_events: (deps, owner) => sampleTokenEvent(deps, owner, 'expiring_access_token'),
  token_events: (deps, owner) => sampleTokenEvent(deps, owner, 'created_access_token'),
} as const satisfies Record<string, SampleEvent>

const instanceSamples = { ...samples, topic_events: sampleTopicEvent } as const satisfies Record<string, SampleEvent>

/** Events of a test delivery by trigger. */
const samplesOf = { project: samples, group: samples, instance: instanceSamples } as const satisfies Record<
  HookOwner['kind'],
  object
>

/** Returns the triggers by which the webhooks of a kind of owner can be tested. */
export const testableTriggers = (kind: HookOwner['kind']): readonly string[] => Object.keys(samplesOf[kind])

/** Returns the event of a test delivery. Triggers of GitLab that never occur here are refused. */
export function sampleEvent(deps: Deps, owner: HookOwner, trigger: string): Promise<EventBody> | EventBody {
  const byTrigger: Readonly<Record<string, SampleEvent>> = samplesOf[owner.kind]
  const sample = byTrigger[trigger]
  if (!sample) throw unprocessable('Testing not available for this hook')
  return sample(deps, owner)
}
