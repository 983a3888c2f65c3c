import { type EventBody, nounOf, type StoredEvent } from './hook-event-body.ts'
import { type Item, type Message, messageOf } from './hook-message.ts'

export const hookFormats = ['gitlab', 'json', 'slack', 'mattermost', 'teams'] as const
/** Format of the requests of a hook: GitLab's events, plain JSON, or messages for a chat. */
export type HookFormat = (typeof hookFormats)[number]

/** Maximum number of items that a chat message lists; the heading states how many there are. */
const maxListed = 20

/**
 * Returns events in the format of a hook. GitLab's format has a body for each event, the others have one for all, because
 * a chat limits messages and a report can have thousands of new vulnerabilities. All events are of one kind and place.
 */
export function formatEvents(format: HookFormat, events: readonly EventBody[]): StoredEvent[] {
  const [first] = events
  if (format === 'gitlab' || !first) return [...events]
  return [{ object_kind: nounOf(first), sent: writers[format](messageOf(first, events)) }]
}

const writers: Record<Exclude<HookFormat, 'gitlab'>, (message: Message) => object> = {
  json: ({ heading, items }) => ({ text: heading, items }),
  slack: (message) => ({ text: textOf(message, ({ title, url }) => slackLink(title, url), escapeForSlack) }),
  mattermost: (message) => ({
    text: textOf(message, ({ title, url }) => markdownLink(title, url), escapeMarkdown),
  }),
  teams: (message) => ({ type: 'message', attachments: [teamsCard(message)] }),
}

function textOf(
  { heading, items }: Message,
  link: (item: Item) => string,
  escapeText: (text: string) => string,
): string {
  const lines = items.slice(0, maxListed).map((item) => `• ${[link(item), ...item.facts.map(escapeText)].join(' · ')}`)
  const more = items.length - maxListed
  return [escapeText(heading), ...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}

/** Slack interprets only these three characters; see its guide to formatting text. */
const escapeForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function slackLink(title: string, url: string | null): string {
  if (url === null) return escapeForSlack(title)
  return `<${escapeForSlack(url).replaceAll('|', '%7C')}|${escapeForSlack(title).replaceAll('|', '¦')}>`
}

const escapeMarkdown = (text: string): string => text.replace(/[\\`*_{}[\]()<>#+!|~@:]/g, '\\$&')

function markdownLink(title: string, url: string | null): string {
  return url === null
    ? escapeMarkdown(title)
    : `[${escapeMarkdown(title)}](${url.replace(/[()\s]/g, encodeURIComponent)})`
}

/** Returns an Adaptive Card, which incoming webhooks of Teams and of its workflows show. */
function teamsCard(message: Message): object {
  const blocks = [
    { type: 'TextBlock', weight: 'Bolder', wrap: true, text: escapeMarkdown(message.heading) },
    ...message.items.slice(0, maxListed).map(({ title, url, facts }) => ({
      type: 'TextBlock',
      wrap: true,
      text: [markdownLink(title, url), ...facts.map(escapeMarkdown)].join(' · '),
    })),
  ]
  const more = message.items.length - maxListed
  if (more > 0) blocks.push({ type: 'TextBlock', wrap: true, text: `and ${more} more` })
  return {
    contentType: 'application/vnd.microsoft.card.adaptive',
    content: {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      body: blocks,
    },
  }
}
