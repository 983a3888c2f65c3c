/** Fields of a topic in a vocabulary file. */
export interface VocabularyTopic {
  name: string
  title: string
  description: string | null
  /** In byte order of the lower-case forms. */
  aliases: readonly string[]
}

/** An entry of a vocabulary file. An import leaves absent fields of an existing topic unchanged. */
export type VocabularyEntry = Pick<VocabularyTopic, 'name'> & Partial<Omit<VocabularyTopic, 'name'>>

/** Fills the absent fields of an entry from the stored topic, or with the defaults of a new one. */
export function completeEntry(entry: VocabularyEntry, stored: VocabularyTopic | undefined): VocabularyTopic {
  const { name, title, description, aliases } = entry
  return {
    name,
    title: title ?? stored?.title ?? name,
    description: description === undefined ? (stored?.description ?? null) : description,
    aliases: aliases ?? stored?.aliases ?? [],
  }
}

export const vocabularyFormats = ['yaml', 'json'] as const
export type VocabularyFormat = (typeof vocabularyFormats)[number]

export const vocabularyVersion = 1

/** Compares in byte order, independently of the database's collation. */
export function compareKeys(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/**
 * Text before, between and after the topics. Each topic is serialised separately, so that a long list can be written in
 * batches.
 */
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

/** Writes every field, including empty ones, so that importing the file restores each topic exactly. */
export function writeTopic(topic: VocabularyTopic, format: VocabularyFormat): string {
  const { name, title, description, aliases } = topic
  if (format === 'json') return `    ${JSON.stringify({ name, title, description, aliases })}`
  const lines = [
    `name: ${yamlText(name)}`,
    `title: ${yamlText(title)}`,
    `description: ${description === null ? 'null' : yamlText(description)}`,
    ...(aliases.length === 0 ? ['aliases: []'] : ['aliases:', ...aliases.map((alias) => `  - ${yamlText(alias)}`)]),
  ]
  return `  - ${lines.join('\n    ')}\n`
}

/** Words that YAML 1.1 or 1.2 parses as something other than text. */
const notText = /^(?:true|false|yes|no|on|off|null|y|n|nan|inf)$/i

/** Writes plain text if every YAML parser reads it as text, otherwise a JSON string, which is valid YAML. */
function yamlText(text: string): string {
  if (/^[A-Za-z](?:[A-Za-z0-9 _./+-]*[A-Za-z0-9_+])?$/.test(text) && !notText.test(text)) return text
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
