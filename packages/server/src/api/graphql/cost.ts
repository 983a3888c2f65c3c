import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { maxNodes } from './connection.ts'

/** Cost of an operation, computed before it runs. */
export interface Cost {
  /** Levels of fields. */
  depth: number
  /** GitLab's measure: one for each field, and one percent more of a connection for each of its nodes. */
  complexity: number
  /** Number of fields of the largest possible response. */
  size: number
}

interface CostLimits {
  depth: number
  complexity: number
}

/** GitLab's limits. */
const limits: Readonly<Record<'signedIn' | 'anonymous', CostLimits>> = {
  signedIn: { depth: 20, complexity: 250 },
  anonymous: { depth: 15, complexity: 200 },
}

/** Bounds the time and the response of nested connections, which GitLab's measure counts hardly more than one. */
const maxSize = 50_000
/** Assumed length of a list that is no connection. */
const assumedLength = 5
/** Assumed length of connections that are rarely long and lead to no other connection, unless the document limits them. */
const assumedLengths: Readonly<Record<string, number>> = {
  VulnerabilityStateTransitionTypeConnection: 10,
  VulnerabilityIssueLinkConnection: 10,
  VulnerabilityExternalIssueLinkConnection: 1,
  NoteConnection: 10,
  DiscussionConnection: 10,
  UserCoreConnection: 5,
  SeverityOverrideConnection: 5,
}

/** Throws a `GraphQLError` that names the limit which the operations of a request exceed together. */
export function assertWithinCost(costs: readonly Cost[], isSignedIn: boolean): void {
  const max = isSignedIn ? limits.signedIn : limits.anonymous
  const depth = Math.max(0, ...costs.map((cost) => cost.depth))
  const complexity = Math.ceil(costs.reduce((sum, cost) => sum + cost.complexity, 0))
  const size = costs.reduce((sum, cost) => sum + cost.size, 0)
  const exceeding = (what: string, found: number, limit: number) =>
    new GraphQLError(`Query has ${what} of ${found}, which exceeds max ${what} of ${limit}`)
  if (depth > max.depth) throw exceeding('depth', depth, max.depth)
  if (complexity > max.complexity) throw exceeding('complexity', complexity, max.complexity)
  if (size > maxSize) {
    throw new GraphQLError(
      `Query has size of ${size} fields, which exceeds max size of ${maxSize}. Request fewer nodes with \`first\``,
    )
  }
}

/** Computes the cost of a valid operation. Its fragments are computed once each, so the time is linear. */
export function costOf(
  schema: GraphQLSchema,
  { document, operation, variables }: { document: DocumentNode; operation: OperationDefinitionNode; variables: object },
): Cost {
  const root = schema.getRootType(operation.operation)
  if (!root) return nothing
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  return ofSelections({ schema, fragments, variables, known: new Map() }, root, operation.selectionSet)
}

interface Walk {
  schema: GraphQLSchema
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  variables: object
  /** Costs of fragments. */
  known: Map<string, Cost>
}

const nothing: Cost = { depth: 0, complexity: 0, size: 0 }

function ofSelections(walk: Walk, parent: GraphQLCompositeType, { selections }: SelectionSetNode): Cost {
  const total = { ...nothing }
  for (const selection of selections) {
    const cost =
      selection.kind === Kind.FIELD
        ? ofField(walk, parent, selection)
        : selection.kind === Kind.INLINE_FRAGMENT
          ? ofCondition(walk, parent, selection)
          : ofFragment(walk, selection.name.value)
    total.depth = Math.max(total.depth, cost.depth)
    total.complexity += cost.complexity
    total.size += cost.size
  }
  return total
}

type Condition = Pick<FragmentDefinitionNode, 'selectionSet'> & {
  typeCondition?: FragmentDefinitionNode['typeCondition'] | undefined
}

function ofCondition(walk: Walk, parent: GraphQLCompositeType, { typeCondition, selectionSet }: Condition): Cost {
  const type = typeCondition ? walk.schema.getType(typeCondition.name.value) : parent
  return isCompositeType(type) ? ofSelections(walk, type, selectionSet) : nothing
}

function ofFragment(walk: Walk, name: string): Cost {
  const known = walk.known.get(name)
  if (known) return known
  const fragment = walk.fragments.get(name)
  // A fragment has a type condition, so its cost does not depend on where it is used.
  const cost = fragment ? ofCondition(walk, walk.schema.getQueryType() as GraphQLCompositeType, fragment) : nothing
  walk.known.set(name, cost)
  return cost
}

type FieldNode = Extract<SelectionSetNode['selections'][number], { kind: typeof Kind.FIELD }>

function ofField(walk: Walk, parent: GraphQLCompositeType, node: FieldNode): Cost {
  // The introspection is bounded by `assertPlainIntrospection`.
  if (node.name.value.startsWith('__')) return nothing
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[node.name.value] : undefined
  const type = field && getNamedType(field.type)
  const children = node.selectionSet && isCompositeType(type) ? ofSelections(walk, type, node.selectionSet) : nothing
  const complexity = 1 + children.complexity
  const size = 1 + children.size
  const depth = 1 + children.depth
  if (!field) return { depth, complexity, size }
  const limit = connectionLimit(walk, field, node)
  if (limit) {
    const { nodes, assumedNodes } = limit
    return { depth, complexity: complexity * (1 + nodes / 100), size: 1 + children.size * assumedNodes }
  }
  // The lists of a connection have the number of its nodes, which is counted above.
  const isCounted = parent.name.endsWith('Connection') || !isList(field)
  return { depth, complexity, size: isCounted ? size : 1 + children.size * assumedLength }
}

/** Returns the maximum number of nodes of a connection, and the number that is assumed; nothing for other fields. */
function connectionLimit(
  { variables }: Walk,
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): { nodes: number; assumedNodes: number } | undefined {
  const { name } = getNamedType(field.type)
  if (!name.endsWith('Connection')) return undefined
  const { first, last } = argumentsOf(field, node, variables)
  const asked = [first, last].filter((value) => typeof value === 'number')
  const nodes = Math.max(0, Math.min(...asked, maxNodes))
  return { nodes, assumedNodes: asked.length > 0 ? nodes : (assumedLengths[name] ?? nodes) }
}

/** Returns no arguments where they are not valid, which the execution reports. */
function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode, variables: object) {
  try {
    return getArgumentValues(field, node, variables as Record<string, unknown>) // only their values are unknown
  } catch {
    return {}
  }
}

function isList({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type)
}
