import { type ASTVisitor, type FieldNode, GraphQLError, Kind, type ValidationContext } from 'graphql'

/** Fields of the introspection that list parts of the schema. The standard query nests each of them once. */
const lists = new Set([
  'types',
  'fields',
  'args',
  'inputFields',
  'enumValues',
  'possibleTypes',
  'interfaces',
  'directives',
])

/**
 * Validation rule: an introspection query names its fields without aliases and does not list the fields of the types of
 * fields, because the response would be larger by a factor of a hundred with each level.
 */
export function plainIntrospection(context: ValidationContext): ASTVisitor {
  const within: FieldNode[] = []
  return {
    [Kind.FIELD]: {
      enter(node) {
        const name = node.name.value
        const isIntrospection = context.getParentType()?.name.startsWith('__') === true
        if (isIntrospection && node.alias) report(node, 'has no aliases')
        if (isIntrospection && lists.has(name) && within.some((outer) => outer.name.value === name)) {
          report(node, `does not nest ${name} in ${name}`)
        }
        within.push(node)
      },
      leave() {
        within.pop()
      },
    },
  }

  function report(node: FieldNode, rule: string): void {
    context.reportError(new GraphQLError(`An introspection query ${rule}`, { nodes: node }))
  }
}
