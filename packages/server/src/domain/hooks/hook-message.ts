import type {
  AccessTokenEvent,
  EventBody,
  HeldReportEvent,
  ImportEvent,
  MemberEvent,
  TopicEvent,
  UploadEvent,
  VulnerabilityEvent,
} from './hook-event-body.ts'

/** One line of a message. */
export interface Item {
  title: string
  url: string | null
  /** Short facts, such as severity and state. */
  facts: readonly string[]
}

export interface Message {
  heading: string
  items: readonly Item[]
}

/** Describes events of one kind and place in a sentence and a list. */
export function messageOf(first: EventBody, events: readonly EventBody[]): Message {
  if (!('object_kind' in first)) {
    return first.event_name === 'project_create'
      ? { heading: 'This is a test of a webhook', items: [] }
      : memberMessage(first)
  }
  switch (first.object_kind) {
    case 'access_token':
      return tokenMessage(first)
    case 'security_report':
      return first.event_name === 'absences_held' ? heldMessage(first) : importMessage(first)
    case 'upload':
      return uploadMessage(first)
    case 'topic':
      return topicMessage(
        events.flatMap((event) => ('object_kind' in event && event.object_kind === 'topic' ? [event] : [])),
      )
    case 'vulnerability':
      return vulnerabilityMessage(first, events)
  }
}

function vulnerabilityMessage(first: VulnerabilityEvent, events: readonly EventBody[]): Message {
  const items = events.flatMap((event) =>
    'object_kind' in event && event.object_kind === 'vulnerability' ? [vulnerabilityItem(event)] : [],
  )
  const path = new URL(first.object_attributes.url).pathname.split('/-/', 1)[0]?.slice(1)
  const heading =
    items.length === 1
      ? `1 vulnerability in ${path} is new or changed`
      : `${items.length} vulnerabilities in ${path} are new or changed`
  return { heading, items }
}

function vulnerabilityItem({ object_attributes: { title, url, severity, state, location } }: VulnerabilityEvent): Item {
  const { file, image } = location as { file?: unknown; image?: unknown } // every location has string fields of its report type
  const place = [file, image].find((value) => typeof value === 'string')
  return { title, url, facts: [severity, state, ...(place === undefined ? [] : [place])] }
}

const tokenVerbs = {
  expiring_access_token: 'expires soon',
  created_access_token: 'was created',
  rotated_access_token: 'was rotated',
  revoked_access_token: 'was revoked',
} as const

function tokenMessage(event: AccessTokenEvent): Message {
  const { name, expires_at: expiresAt } = event.object_attributes
  return {
    heading: `An access token of ${placeOf(event)} ${tokenVerbs[event.event_name]}`,
    items: [{ title: name, url: null, facts: expiresAt === null ? [] : [expiresAt] }],
  }
}

function heldMessage({ project, object_attributes: { ref, scanner, present, absent, url } }: HeldReportEvent): Message {
  return {
    heading: `A report in ${project.path_with_namespace} is on hold: it would make ${absent} of ${present} findings absent`,
    items: [{ title: `Report of ${scanner}`, url, facts: [ref] }],
  }
}

function importMessage({ event_name: name, project, object_attributes: report }: ImportEvent): Message {
  const title = report.scanner === null ? 'Report' : `Report of ${report.scanner}`
  if (name === 'report_failed') {
    const facts = [report.ref, ...(report.error === null ? [] : [report.error])]
    return {
      heading: `A report in ${project.path_with_namespace} could not be imported`,
      items: [{ title, url: report.url, facts }],
    }
  }
  return {
    heading: `A report in ${project.path_with_namespace} was imported: ${report.new} new, ${report.absent} absent`,
    items: [{ title, url: report.url, facts: [report.ref] }],
  }
}

const pastTense = { upload_created: 'uploaded', upload_deleted: 'deleted', upload_restored: 'restored' } as const

function uploadMessage(event: UploadEvent): Message {
  const { filename, url } = event.object_attributes
  return {
    heading: `A file of ${placeOf(event)} was ${pastTense[event.event_name]}`,
    items: [{ title: filename, url: event.event_name === 'upload_deleted' ? null : url, facts: [] }],
  }
}

const topicVerbs = {
  topic_created: 'created',
  topic_changed: 'changed',
  topic_merged: 'merged',
  topic_merge_undone: 'separated again',
  topic_deleted: 'deleted',
} as const

function topicMessage(topics: readonly TopicEvent[]): Message {
  const verb = topicVerbs[topics[0]?.event_name ?? 'topic_changed']
  return {
    heading: topics.length === 1 ? `1 topic was ${verb}` : `${topics.length} topics were ${verb}`,
    items: topics.map(({ event_name: name, object_attributes: topic, source }) => ({
      title: topic.title || topic.name,
      url: name === 'topic_deleted' ? null : topic.url,
      facts: source ? [`includes ${source.name}`] : [],
    })),
  }
}

function memberMessage(event: MemberEvent): Message {
  const place = event.project_path_with_namespace ?? event.group_path
  const person = `${event.user_name} (@${event.user_username})`
  const level = event.access_level ?? event.group_access
  const isRemoved = event.event_name.startsWith('user_remove')
  const verb = isRemoved
    ? 'was removed from'
    : event.event_name.startsWith('user_add')
      ? 'was added to'
      : 'has a new role in'
  return {
    heading: `A member ${verb} ${place}`,
    items: [{ title: person, url: null, facts: isRemoved || level === undefined ? [] : [level] }],
  }
}

function placeOf({
  project,
  group,
}: {
  project?: { path_with_namespace: string }
  group?: { full_path: string }
}): string {
  return project?.path_with_namespace ?? group?.full_path ?? ''
}
