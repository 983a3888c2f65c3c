import { instanceUrl } from '../../platform/settings/settings.ts'
import { forEachBatch } from '../batches.ts'
import type { Deps } from '../deps.ts'
import type { TopicEvent } from '../hooks/hook-event-body.ts'
import { findListeners } from '../hooks/record.ts'
import { sampleId } from '../hooks/sample-user.ts'
import { defaultOrganizationId } from '../namespaces/organizations.ts'
import type { Topic } from './topic.ts'

/** Fields of a topic that events contain. */
export type AnnouncedTopic = Pick<Topic, 'id' | 'organizationId' | 'name' | 'title' | 'description'>

/**
 * Records webhook events of topics, in the transaction of the change. Only webhooks of the instance receive them. `source`
 * is the topic that was merged into the others, or separated from them.
 */
export async function recordTopicEvents(
  deps: Deps,
  name: TopicEvent['event_name'],
  topics: readonly AnnouncedTopic[],
  source?: AnnouncedTopic,
): Promise<void> {
  if (topics.length === 0) return
  const listeners = await findListeners(deps, { kind: 'instance' }, 'topic')
  if (listeners.isEmpty) return
  await forEachBatch(topics, (batch) =>
    listeners.record(batch.map((topic) => ({ body: describe(deps, name, topic, source) }))),
  )
  await listeners.send()
}

/** Returns the event of an invented topic for a test delivery. */
export function sampleTopicEvent(deps: Deps): TopicEvent {
  const topic = {
    id: sampleId,
    organizationId: defaultOrganizationId,
    name: 'sample',
    title: 'Sample',
    description: null,
  }
  return describe(deps, 'topic_created', topic, undefined)
}

function describe(
  { settings }: Deps,
  name: TopicEvent['event_name'],
  topic: AnnouncedTopic,
  source: AnnouncedTopic | undefined,
) {
  return {
    object_kind: 'topic' as const,
    event_name: name,
    object_attributes: {
      ...attributesOf(topic),
      url: `${instanceUrl(settings)}/explore/topics/${encodeURIComponent(topic.name)}`,
    },
    ...(source && { source: attributesOf(source) }),
  }
}

const attributesOf = ({ id, organizationId, name, title, description }: AnnouncedTopic) => ({
  id,
  name,
  title,
  description,
  organization_id: organizationId,
})
