import { type Document, isScalar, Lexer, Parser, visit } from 'yaml'

/** Maximum number of open nodes in the YAML parser, which opens up to three per level. */
const openNodesPerLevel = 3

/**
 * Returns true when the text is nested too deeply. Only runs the lexer and parser, which do not recurse; the later
 * stages do, and a stack overflow there could end the process.
 */
export function isDeepYaml(text: string, maxLevels: number): boolean {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    for (const _document of parser.next(lexeme)) {
      // Documents are parsed later; only their depth is checked here.
    }
    if (parser.stack.length > openNodesPerLevel * maxLevels) return true
  }
  return false
}

/**
 * Returns the position of the first key that a mapping has twice. The parser compares each key with all others, which
 * takes time in proportion to the square of their number.
 */
export function repeatedKey(document: Document.Parsed): number | undefined {
  let found: number | undefined
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (keys.has(key.value)) {
          found = key.range?.[0] ?? 0
          return visit.BREAK
        }
        keys.add(key.value)
      }
      return undefined
    },
  })
  return found
}
