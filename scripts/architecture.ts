import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** Documents whose paths, files and names in backticks must exist. */
const documents = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'packages/server/src/domain/vulnerabilities/list/README.md']
const maxArchitectureLines = 249
const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n').filter(Boolean)
const names = new Set(files.map((file) => basename(file)))
const roots = [
  '',
  'packages/server/src/',
  'packages/server/src/domain/',
  'packages/server/src/domain/reports/',
  'packages/server/src/domain/vulnerabilities/',
  'packages/server/src/domain/vulnerabilities/list/',
  'packages/web/src/',
  'packages/web/src/features/',
]
const source = files
  .filter((file) => /\.(ts|tsx|cjs|json)$/.test(file) && !/package-lock|openapi\.json|operations\.ts/.test(file))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

const problems = documents.flatMap(problemsIn)
const lines = textOf('ARCHITECTURE.md').split('\n').length
if (lines > maxArchitectureLines)
  problems.push(`ARCHITECTURE.md has ${lines} lines; the limit is ${maxArchitectureLines}`)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`every path and name in ${documents.join(', ')} exists`)

function problemsIn(document: string): string[] {
  return [...textOf(document).matchAll(/`([^`\n]+)`/g)].flatMap(([, mention = '']) => {
    if (/[\s<>=…{}*]|^\/|^npm/.test(mention) && !/^[\w/]+$/.test(mention)) return []
    return exists(mention) ? [] : [`${document}: \`${mention}\` does not exist`]
  })
}

/** Returns the text without blocks of code. */
function textOf(document: string): string {
  return readFileSync(document, 'utf8').replaceAll(/```[\s\S]*?```/g, '')
}

function exists(mention: string): boolean {
  const plain = mention.replace(/\(.*\)$/, '').replace(/\/$/, '')
  if (/\.(tsx?|md|sh|cjs|json|css)$/.test(plain)) {
    return names.has(plain) || roots.some((root) => existsSync(root + plain))
  }
  if (plain.includes('/') && roots.some((root) => existsSync(root + plain))) return true
  const words = plain.match(/[A-Za-z_][\w$]*/g) ?? []
  return (
    roots.some((root) => existsSync(root + plain)) || words.every((word) => new RegExp(`\\b${word}\\b`).test(source))
  )
}
