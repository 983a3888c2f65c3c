/** All topics of an organization as a file says them; what it does not say is not kept. */
export interface VocabularyTopic {
  name: string
  title: string
  description: string | null
  /** In the order of their lower-cased bytes. */
  aliases: readonly string[]
}

export const vocabularyFormats = ['yaml', 'json'] as const
export type VocabularyFormat = (typeof vocabularyFormats)[number]

export const vocabularyVersion = 1

/** In the order of their bytes, whatever the engine's order of text is. */
export function compareKeys(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** What stands before, between and after the topics; each topic is one piece, so that a long list is written in slices. */
export const frames = {
  yaml: {
    head: `version: ${vocabularyVersion}\ntopics:\n`,
    empty: `version: ${vocabularyVersion}\ntopics: []\n`,
    between: '',
    tail: '',
  },
  json: {
    head: `{\n  "version": ${vocabularyVersion},\n  "topics": [\n`,
    empty: `{\n  "version": ${vocabularyVersion},\n  "topics": []\n}\n`,
    between: ',\n',
    tail: '\n  ]\n}\n',
  },
} as const satisfies Record<VocabularyFormat, object>

export function writeTopic(topic: VocabularyTopic, format: VocabularyFormat): string {
  const fields = fieldsOf(topic)
  if (format === 'json') return `    ${JSON.stringify(fields)}`
  const lines: string[] = []
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value === 'string') lines.push(`${field}: ${yamlText(value)}`)
    else lines.push(`${field}:`, ...value.map((alias) => `  - ${yamlText(alias)}`))
  }
  return `  - ${lines.join('\n    ')}\n`
}

/** Absent is the same as none. */
function fieldsOf({ name, title, description, aliases }: VocabularyTopic): Record<string, string | readonly string[]> {
  return {
    name,
    title,
    ...(description !== null && { description }),
    ...(aliases.length > 0 && { aliases }),
  }
}

/** Words that YAML 1.1 or 1.2 takes for something else than text. */
const notText = /^(?:true|false|yes|no|on|off|null|y|n|nan|inf)$/i

/** Plain where no reader of YAML can take it for something else, otherwise between quotes as in JSON, which YAML takes. */
function yamlText(text: string): string {
  if (/^[A-Za-z](?:[A-Za-z0-9 _./+-]*[A-Za-z0-9_+])?$/.test(text) && !notText.test(text)) return text
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
