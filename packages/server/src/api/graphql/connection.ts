import { GraphQLError } from 'graphql'

/** Arguments of a connection. */
export interface ConnectionArgs {
  first?: number | null
  last?: number | null
  after?: string | null
  before?: string | null
}

/** Maximum and default number of nodes, as in GitLab. */
export const maxNodes = 100

export const connectionArguments = 'after: String, before: String, first: Int, last: Int'

/** Declares the types of a connection to nodes of a type. */
export const connectionTypes = (node: string, fields = '') => `
"The connection type for ${node}."
type ${node}Connection {
  edges: [${node}Edge]
  nodes: [${node}]
  pageInfo: PageInfo!
${fields}
}
"An edge in a connection."
type ${node}Edge {
  cursor: String!
  node: ${node}
}`

export const pageInfoType = `
"Information about pagination in a connection."
type PageInfo {
  endCursor: String
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
  startCursor: String
}`

/** A page of a connection, as its default resolvers read it. */
interface Connection<Node> {
  nodes: Node[]
  edges: { cursor: string; node: Node }[]
  pageInfo: {
    startCursor: string | null
    endCursor: string | null
    hasNextPage: boolean
    hasPreviousPage: boolean
  }
}

export function connectionOf<Node>(
  nodes: Node[],
  cursorOf: (node: Node, index: number) => string,
  { hasNextPage, hasPreviousPage }: { hasNextPage: boolean; hasPreviousPage: boolean },
): Connection<Node> {
  const edges = nodes.map((node, index) => ({ cursor: cursorOf(node, index), node }))
  const [startCursor, endCursor] = [edges.at(0)?.cursor ?? null, edges.at(-1)?.cursor ?? null]
  return { nodes, edges, pageInfo: { startCursor, endCursor, hasNextPage, hasPreviousPage } }
}

/** The connection of a resource that the caller may not list. */
export const emptyConnection = () => connectionOf<never>([], () => '', { hasNextPage: false, hasPreviousPage: false })

/** The requested page: a number of nodes from the start or, with `isBackward`, from the end of a list. */
export interface PageOfNodes {
  limit: number
  isBackward: boolean
}

/** Reads `first` and `last`. Throws when both are given or one is negative. */
export function readPageOfNodes({ first, last }: ConnectionArgs): PageOfNodes {
  const [forward, backward] = [first ?? undefined, last ?? undefined]
  if (forward !== undefined && backward !== undefined) {
    throw new GraphQLError('Can only provide either `first` or `last`, not both')
  }
  const asked = forward ?? backward ?? maxNodes
  if (asked < 0) throw new GraphQLError(`\`${forward === undefined ? 'last' : 'first'}\` must not be negative`)
  return { limit: Math.min(asked, maxNodes), isBackward: backward !== undefined }
}

export const invalidCursor = () => new GraphQLError('Please provide a valid cursor')

/** Returns a page of a list that is in memory as a whole. Cursors are positions. */
export function connectionOfAll<Node>(all: readonly Node[], args: ConnectionArgs): Connection<Node> {
  const { limit, isBackward } = readPageOfNodes(args)
  const from = args.after ? readPosition(args.after) + 1 : 0
  const to = Math.max(from, args.before ? Math.min(readPosition(args.before), all.length) : all.length)
  const [start, end] = isBackward ? [Math.max(from, to - limit), to] : [from, Math.min(to, from + limit)]
  return connectionOf(all.slice(start, end), (_node, index) => writePosition(start + index), {
    hasNextPage: end < all.length,
    hasPreviousPage: start > 0,
  })
}

const writePosition = (position: number) => Buffer.from(`at ${position}`).toString('base64url')

function readPosition(cursor: string): number {
  const [, position] = /^at (\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (position === undefined) throw invalidCursor()
  return Number(position)
}
