import { parseDocument } from 'yaml'
import type { VocabularyFormat } from './vocabulary.ts'

export type Parsed = { value: unknown } | { problem: string }

/** A list of topics has five levels. What has thousands of them cannot be handed from one thread to another. */
const mostLevels = 100

/** Anchors are not followed: a few lines of them can stand for gigabytes. */
export function parseText(text: string, format: VocabularyFormat): Parsed {
  try {
    const value: unknown = format === 'json' ? JSON.parse(text) : parseYaml(text)
    return isDeep(value) ? tooDeep : { value }
  } catch (error) {
    if (error instanceof Error && error.message.startsWith(stackIsFull)) return tooDeep
    const [line = ''] = error instanceof Error ? error.message.split('\n') : []
    return { problem: `cannot be read as ${format.toUpperCase()}: ${line.replace(/:$/, '').slice(0, 200)}` }
  }
}

const tooDeep: Parsed = { problem: 'is nested too deep' }
/** What the parser of YAML, which goes down by calling itself, tells as one of its own problems. */
const stackIsFull = 'Maximum call stack size exceeded'

/** Level by level: going down by calls would end as the parser does. */
function isDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === mostLevels) return true
    const below: unknown[] = []
    for (const part of level) {
      if (typeof part === 'object' && part !== null) for (const inner of Object.values(part)) below.push(inner)
    }
    level = below
  }
  return false
}

function parseYaml(text: string): unknown {
  const document = parseDocument(text, { schema: 'core', logLevel: 'error', stringKeys: true })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throw problem
  return document.toJS({ maxAliasCount: 0 })
}
