import { Lexer, Parser } from 'yaml'

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
