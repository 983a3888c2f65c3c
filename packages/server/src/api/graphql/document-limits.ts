import { type DocumentNode, GraphQLError, Kind, Lexer, parse, Source, TokenKind, visit } from 'graphql'

/** Maximum number of characters of a document, as in GitLab; variables do not count. */
const maxCharacters = 10_000
/** Maximum nesting of brackets, which bounds the recursion of the parser. */
const maxNesting = 64
/** Bounds the time of the validation, which compares the fields of a selection with each other. */
const maxFields = 1000
const maxAliases = 100

const exceeds = (what: string, found: number, max: number) =>
  new GraphQLError(`Query has ${found} ${what}, which exceeds max ${what} of ${max}`)

/** Parses a document within limits that do not depend on the schema. Throws a `GraphQLError` beyond one. */
export function parseWithinLimits(text: string): DocumentNode {
  if (text.length > maxCharacters) {
    throw new GraphQLError(`Query too large: it has ${text.length} characters, which exceeds max of ${maxCharacters}`)
  }
  assertNesting(text)
  const document = parse(text)
  let [fields, aliases] = [0, 0]
  visit(document, {
    [Kind.FIELD](node) {
      fields += 1
      if (node.alias) aliases += 1
    },
    // Escaped; see `storable`.
    [Kind.STRING](node) {
      if (node.value.includes('\0')) throw new GraphQLError('A text contains a NUL character', { nodes: node })
    },
  })
  if (fields > maxFields) throw exceeds('fields', fields, maxFields)
  if (aliases > maxAliases) throw exceeds('aliases', aliases, maxAliases)
  return document
}

function assertNesting(text: string): void {
  const lexer = new Lexer(new Source(text))
  let depth = 0
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    if (opening.has(token.kind)) depth += 1
    else if (closing.has(token.kind)) depth -= 1
    if (depth > maxNesting) throw new GraphQLError(`Query is nested more than ${maxNesting} brackets deep`)
  }
}

const opening = new Set<string>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing = new Set<string>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])
