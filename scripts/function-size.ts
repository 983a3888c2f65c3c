import { resolve } from 'node:path'
import type * as ast from 'typescript/unstable/ast'
import * as is from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/sync'

/**
 * Finds functions with more than 60 lines of logic or more than four parameters. The lines of a function include those
 * of the functions inside it. Blank lines, comments, JSX, SQL and the literal that a function returns (a table of
 * routes, an object of methods) are not logic; functions in such a literal are measured on their own.
 */
const maxLines = 60
const maxParameters = 4
const measured = /^(packages\/[^/]+\/src|bench|scripts)\//
const excluded =
  /\.test\.tsx?$|\.conformance\.ts$|\.d\.ts$|^packages\/server\/src\/testing\/|\/client\/src\/operations\.ts$/

type MeasuredFunction = ast.ArrowFunction | ast.FunctionDeclaration | ast.FunctionExpression | ast.MethodDeclaration

const root = process.cwd()
const compiler = new API({ cwd: root })
const configs = ['tsconfig.json', 'packages/web/tsconfig.json'].map((file) => resolve(root, file))
const problems: string[] = []
let functions = 0
for (const { program, rootFiles } of compiler.updateSnapshot({ openProjects: configs }).getProjects()) {
  for (const path of rootFiles) {
    const file = path.slice(root.length + 1)
    const source = measured.test(file) && !excluded.test(file) ? program.getSourceFile(path) : undefined
    if (source) measureAll(source, source, `${file}:`)
  }
}
compiler.close()

for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
if (functions < 1000) throw new Error(`only ${functions} functions were read`)
console.log(`${functions} functions have at most ${maxLines} lines of logic and ${maxParameters} parameters`)

/** Measures every function below a node. `path` names the functions around it. */
function measureAll(source: ast.SourceFile, node: ast.Node, path: string): void {
  const name = (is.isVariableDeclaration(node) || isFunction(node)) && 'name' in node ? node.name : undefined
  const own = name && is.isIdentifier(name) ? `${path} ${name.text}` : path
  if (isFunction(node) && node.body) {
    functions++
    const [lines, parameters] = [countLogic(source, node), node.parameters.length]
    if (lines > maxLines || parameters > maxParameters)
      problems.push(`${own}: ${lines} lines of logic, ${parameters} parameters`)
  }
  node.forEachChild((child) => measureAll(source, child, own))
}

function isFunction(node: ast.Node): node is MeasuredFunction {
  const kinds = [is.isFunctionDeclaration, is.isFunctionExpression, is.isArrowFunction, is.isMethodDeclaration]
  return kinds.some((isKind) => isKind(node))
}

/** Returns the number of lines on which a part of the function's logic begins or ends. */
function countLogic(source: ast.SourceFile, root: ast.Node): number {
  const lines = new Set<number>()
  const add = (node: ast.Node) => {
    const isText = is.isJsxElement(node) || is.isJsxFragment(node) || is.isTemplateExpression(node)
    lines.add(source.getLineAndCharacterOfPosition(node.getStart(source)).line)
    if (!isText && !isReturnedLiteral(node, root)) node.forEachChild(add)
    lines.add(source.getLineAndCharacterOfPosition(node.end - 1).line)
  }
  add(root)
  return lines.size
}

/** Whether a node is the object or array that the function itself returns. */
function isReturnedLiteral(node: ast.Node, root: ast.Node): boolean {
  if (!is.isObjectLiteralExpression(node) && !is.isArrayLiteralExpression(node)) return false
  const { parent } = node
  return is.isReturnStatement(parent) ? parent.parent.parent === root : parent.parent === root
}
