import type { IssueTemplates } from './tracker.ts'
import type { IssueText } from './tracker-issue.ts'

/** What a template can contain. */
export const placeholders = [
  ...['title', 'severity', 'state', 'report_type', 'location', 'identifiers', 'description', 'solution'],
  ...['project', 'url'],
] as const

export const defaultTitle = '{{title}}'
export const defaultDescription = `**Severity:** {{severity}}
**Location:** {{location}}
**Identifiers:** {{identifiers}}
**Vulnerability:** {{url}}

{{description}}

{{solution}}`

export const maxTitleTemplate = 500
export const maxDescriptionTemplate = 20_000

/** Returns the placeholders of a template that do not exist. */
export function unknownPlaceholders(template: string): string[] {
  return [...template.matchAll(placeholder)]
    .map(([, name = '']) => name)
    .filter((name) => !placeholders.some((known) => known === name))
}

/** Values of the placeholders. The text of reports is not trusted. */
export type IssueValues = Readonly<Record<string, string>>

const maxTitle = 255
/** Trackers allow more, but the rest is at the vulnerability's URL. */
const maxDescription = 30_000

/** Returns the text of an issue. `isMarkdown` is false for Jira's markup. */
export function renderIssue(
  template: IssueTemplates,
  values: IssueValues,
  { isMarkdown }: { isMarkdown: boolean },
): IssueText {
  const title = render(template.titleTemplate, values).replace(/\s+/g, ' ').trim()
  const neutralise = isMarkdown ? escapeMarkdown : escapeJira
  const safe = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, neutralise(value)]))
  const description = render(template.descriptionTemplate, safe).trim()
  return {
    title: shortened(title || values['title'] || 'Vulnerability', maxTitle),
    description: shortened(isMarkdown ? escapeCommands(description) : description, maxDescription),
  }
}

// Linear time: two characters, spaces, letters, spaces and two characters, none of which can match in two ways.
const placeholder = /\{\{ {0,9}([a-z_]{1,40}) {0,9}\}\}/g

function render(template: string, values: IssueValues): string {
  return template.replaceAll(placeholder, (_, name: string) => values[name] ?? '')
}

/** Keeps the text of reports from notifying users (`@all`), and from containing comments that look like a marker. */
function escapeMarkdown(text: string): string {
  return text.replaceAll('@', '@\u2060').replaceAll('<!--', '&lt;!--')
}

/** Escapes macros and mentions of Jira's markup. */
function escapeJira(text: string): string {
  return text.replaceAll('{', '\\{').replaceAll('[~', '\\[~')
}

/** Escapes lines that GitLab would execute as commands (`/close`) with the rights of the token. */
function escapeCommands(text: string): string {
  const lines = text.split(/\r\n|\r|\n/)
  return lines.map((line) => (line.trimStart().startsWith('/') ? line.replace('/', '\\/') : line)).join('\n')
}

function shortened(text: string, max: number): string {
  const characters = [...text]
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`
}
