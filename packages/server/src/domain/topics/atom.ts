import { escapeHtml } from '../escape-html.ts'
import type { Project } from '../projects/project.ts'
import type { Topic } from './topic.ts'

/** Addresses that a feed contains. */
export interface FeedAddresses {
  /** Address of the feed itself. */
  feed: string
  /** Scheme and host of the server. */
  origin: string
}

/**
 * Returns an Atom document (RFC 4287) with one entry for each project, which is updated when it was created.
 * Addresses need no escaping: paths of projects and encoded names have no characters with a meaning in XML.
 */
export function atomFeedOf(topic: Topic, projects: readonly Project[], { feed, origin }: FeedAddresses): string {
  const page = `${origin}/explore/topics/${encodeURIComponent(topic.name)}`
  const updated = projects.reduce((latest, { createdAt }) => (createdAt > latest ? createdAt : latest), topic.createdAt)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<title>${escapeHtml(topic.title || topic.name)}</title>`,
    `<id>${feed}</id>`,
    `<link rel="self" type="application/atom+xml" href="${feed}"/>`,
    `<link rel="alternate" type="text/html" href="${page}"/>`,
    `<updated>${updated}</updated>`,
    ...projects.map((project) => entryOf(project, origin)),
    '</feed>',
    '',
  ].join('\n')
}

function entryOf(project: Project, origin: string): string {
  const address = `${origin}/${project.fullPath}`
  return [
    '<entry>',
    // The id must stay the same when the project moves.
    `<id>${origin}/api/v4/projects/${project.id}</id>`,
    `<title>${escapeHtml(project.name)}</title>`,
    `<link rel="alternate" type="text/html" href="${address}"/>`,
    `<author><name>${escapeHtml(project.namespace.name)}</name></author>`,
    `<published>${project.createdAt}</published>`,
    `<updated>${project.createdAt}</updated>`,
    ...(project.description ? [`<summary>${escapeHtml(project.description)}</summary>`] : []),
    '</entry>',
  ].join('\n')
}
