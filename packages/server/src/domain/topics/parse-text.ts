import { parseDocument } from 'yaml'
import type { VocabularyFormat } from './vocabulary.ts'

export type Parsed = { value: unknown } | { problem: string }

/** Anchors are not followed: a few lines of them can stand for gigabytes. */
export function parseText(text: string, format: VocabularyFormat): Parsed {
  try {
    return { value: format === 'json' ? JSON.parse(text) : parseYaml(text) }
  } catch (error) {
    const [line = ''] = error instanceof Error ? error.message.split('\n') : []
    return { problem: `cannot be read as ${format.toUpperCase()}: ${line.replace(/:$/, '').slice(0, 200)}` }
  }
}

function parseYaml(text: string): unknown {
  const document = parseDocument(text, { schema: 'core', logLevel: 'error', stringKeys: true })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throw problem
  return document.toJS({ maxAliasCount: 0 })
}
