import { type AuditedChanges, instanceEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { Deps } from '../deps.ts'
import type { Topic } from './topic.ts'

const messages = {
  topic_created: 'Created a topic',
  topic_updated: 'Changed a topic',
  topic_destroyed: 'Deleted a topic',
  topics_merged: 'Merged another topic into this topic',
  topic_merge_undone: 'Undid a merge of topics',
} as const

/** Records a change of a topic in the log of the instance. */
export function recordTopicAudit(
  deps: Deps,
  name: keyof typeof messages,
  { id, name: topicName }: Pick<Topic, 'id' | 'name'>,
  changes: AuditedChanges = {},
): Promise<void> {
  const target = { type: 'Projects::Topic', id, name: topicName }
  return recordAuditEvent(deps, name, { entity: instanceEntity, message: messages[name], target, changes })
}
