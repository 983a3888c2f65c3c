/**
 * Names, paths and messages come from reports of other people's code. These functions keep such text from being read as
 * something else: as a control sequence of a terminal, a command of a CI system, Markdown or XML.
 */

/** Control characters, and characters that change the direction of text or are invisible. */
const unsafe = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]+/gu
/** Begin of a command in the log of Azure Pipelines, TeamCity or (an older form) GitHub Actions. */
const logCommand = /##(?=[\w-]*\[)/g

/** Returns text as one line that is safe in a terminal and in the log of a CI system. */
export function plain(text: string): string {
  const line = text.toWellFormed().replace(unsafe, ' ').replace(logCommand, '# #').trim()
  // A line that begins with two colons is a command of GitHub Actions.
  return line.replace(/^:(?=:)/, ': ')
}

/** Shortens text to a number of characters. */
export function shorten(text: string, maxLength: number): string {
  const characters = [...text]
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength - 1).join('')}…`
}

/** Encodes JSON so that printing it to a terminal or a log has no effect. Parsers read the same values. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(unsafe, (found) => (found === '\n' || /^\n+$/.test(found) ? found : escapeUnits(found)))
    .replace(/##(?=[\w-]*\[)/g, '#\\u0023')
}

function escapeUnits(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    const unit = text.charCodeAt(index)
    return unit === 0x0a ? '\n' : `\\u${unit.toString(16).padStart(4, '0')}`
  }).join('')
}

/** Encodes text for XML, as content or in an attribute. */
export function escapeXml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }
  return plain(text).replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

/**
 * Encodes text as a code span of Markdown, where neither HTML nor links nor mentions have an effect. The fence is longer
 * than every run of backticks in the text.
 */
export function codeSpan(text: string): string {
  const line = plain(text).replaceAll('|', '¦')
  if (line === '') return ''
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  const padding = longest > 0 ? ' ' : ''
  return `${fence}${padding}${line}${padding}${fence}`
}

/** Returns a web address for a link in Markdown or XML, or `undefined` if it is no address of HTTP. */
export function webAddress(text: string | null | undefined): string | undefined {
  if (!text || !URL.canParse(text)) return undefined
  const { protocol, href } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  return href.replace(/[()<>'"|`\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}
