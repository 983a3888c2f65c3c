import { parseDocument } from 'yaml'
import { isDeepYaml } from '../../../platform/yaml-depth.ts'
import type { VocabularyFormat } from './vocabulary.ts'

export type Parsed = { value: unknown } | { problem: string }

/** Maximum nesting depth. A list of topics has five levels. */
const maxLevels = 100

/** Parses a text. Rejects anchors, because a few lines of them can expand to gigabytes. */
export function parseText(text: string, format: VocabularyFormat): Parsed {
  try {
    if (format === 'yaml' && isDeepYaml(text, maxLevels)) return tooDeep
    const value: unknown = format === 'json' ? JSON.parse(text) : parseYaml(text)
    return isDeep(value) ? tooDeep : { value }
  } catch (error) {
    const [line = ''] = error instanceof Error ? error.message.split('\n') : []
    return { problem: `cannot be read as ${format.toUpperCase()}: ${line.replace(/:$/, '').slice(0, 200)}` }
  }
}

const tooDeep: Parsed = { problem: 'is nested too deep' }
/** Returns true when the value is nested too deeply. Does not recurse, which could overflow the stack. */
function isDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === maxLevels) return true
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
