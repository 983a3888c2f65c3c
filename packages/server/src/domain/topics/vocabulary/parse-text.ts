import { Lexer, Parser, parseDocument } from 'yaml'
import type { VocabularyFormat } from './vocabulary.ts'

export type Parsed = { value: unknown } | { problem: string }

/** Maximum nesting; a list of topics has five levels. */
const maxLevels = 100
/** Maximum number of nodes that the parser of YAML has open at once: up to three for each level. */
const maxOpenNodes = 3 * maxLevels

/** Anchors are not followed: a few lines of them can stand for gigabytes. */
export function parseText(text: string, format: VocabularyFormat): Parsed {
  try {
    if (format === 'yaml' && isDeepYaml(text)) return tooDeep
    const value: unknown = format === 'json' ? JSON.parse(text) : parseYaml(text)
    return isDeep(value) ? tooDeep : { value }
  } catch (error) {
    const [line = ''] = error instanceof Error ? error.message.split('\n') : []
    return { problem: `cannot be read as ${format.toUpperCase()}: ${line.replace(/:$/, '').slice(0, 200)}` }
  }
}

const tooDeep: Parsed = { problem: 'is nested too deep' }
/**
 * True when the text has too many levels, found out by the lexer and the first parser, which do not recurse. What follows
 * them does, and a stack that overflows there can end the whole process.
 */
function isDeepYaml(text: string): boolean {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    for (const _document of parser.next(lexeme)) {
      // Documents are read below; here only their depth counts.
    }
    if (parser.stack.length > maxOpenNodes) return true
  }
  return false
}

/** Goes down level by level: recursion would end as the parser's does. */
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
