import { resolve } from 'node:path'
import type * as ast from 'typescript/unstable/ast'
import * as is from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/sync'

/*
 * Proves that every regular expression of the server takes linear time on any text. Expressions that cannot be proven,
 * and those that are built at run time, need a comment on one of the lines before: `// Linear time: <reason>`.
 */

// The backend that needs neither Java nor a program for this platform. It must be set before the module is loaded.
process.env['RECHECK_BACKEND'] = 'pure'
const { check } = await import('recheck')

/** Much more than any proof takes, so that a busy machine fails no proof. */
const maxProofMs = 60_000
const checked = /^packages\/server\/src\//
const excluded = /\.test\.ts$|\.conformance\.ts$|^packages\/server\/src\/testing\//
const maxLinesBefore = 6

interface Expression {
  place: string
  /** Undefined when it is built at run time. */
  literal: string | undefined
  hasReason: boolean
}

const expressions = readExpressions()
if (expressions.length < 100) throw new Error(`only ${expressions.length} regular expressions were read`)

const proofs = new Map<string, Promise<string | undefined>>()
const problems: string[] = []
for (const { place, literal, hasReason } of expressions) {
  if (hasReason) continue
  const problem = literal === undefined ? 'is built at run time' : await findProblem(literal)
  if (problem) problems.push(`${place}: ${literal ?? 'the expression'} ${problem}`)
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) {
  console.error('Change each expression, or state the reason before it: // Linear time: <reason>')
  process.exit(1)
}
console.log(`${expressions.length} regular expressions take linear time`)

/** Returns why the expression may take more than linear time. */
function findProblem(literal: string): Promise<string | undefined> {
  const known = proofs.get(literal) ?? prove(literal)
  proofs.set(literal, known)
  return known
}

async function prove(literal: string): Promise<string | undefined> {
  const end = literal.lastIndexOf('/')
  const options = { checker: 'automaton', timeout: maxProofMs } as const
  const proof = await check(literal.slice(1, end), literal.slice(end + 1), options)
  if (proof.status === 'safe') return undefined
  return proof.status === 'vulnerable' ? `takes ${proof.complexity.summary} time` : 'is not proven to be linear'
}

function readExpressions(): Expression[] {
  const root = process.cwd()
  const compiler = new API({ cwd: root })
  const found: Expression[] = []
  const openProjects = [resolve(root, 'tsconfig.json')]
  for (const { program, rootFiles } of compiler.updateSnapshot({ openProjects }).getProjects()) {
    for (const path of rootFiles) {
      const file = path.slice(root.length + 1)
      const source = checked.test(file) && !excluded.test(file) ? program.getSourceFile(path) : undefined
      if (source) collect(source, source, file, found)
    }
  }
  compiler.close()
  return found
}

/** Adds the expressions below a node. */
function collect(source: ast.SourceFile, node: ast.Node, file: string, found: Expression[]): void {
  const isBuilt = is.isNewExpression(node) && node.expression.getText(source) === 'RegExp'
  if (isBuilt || is.isRegularExpressionLiteral(node)) {
    const before = source.text.slice(0, node.getStart(source)).split('\n')
    const place = `${file}:${before.length}`
    const hasReason = before.slice(-maxLinesBefore).some((line) => /\/\/ Linear time: \S/.test(line))
    found.push({ place, literal: isBuilt ? undefined : node.getText(source), hasReason })
  }
  node.forEachChild((child) => collect(source, child, file, found))
}
