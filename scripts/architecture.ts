import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

// Every path, file and name that ARCHITECTURE.md mentions in backticks must exist.
const document = 'ARCHITECTURE.md'
const text = readFileSync(document, 'utf8').replaceAll(/```[\s\S]*?```/g, '')
const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n').filter(Boolean)
const names = new Set(files.map((file) => basename(file)))
const roots = [
  '',
  'packages/server/src/',
  'packages/server/src/domain/',
  'packages/web/src/',
  'packages/web/src/features/',
]
const source = files
  .filter((file) => /\.(ts|tsx|cjs|json)$/.test(file) && !/package-lock|openapi\.json|operations\.ts/.test(file))
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')

const problems = [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, mention = ''], index) => {
  if (/[\s<>=…{}*]|^\/|^npm/.test(mention) && !/^[\w/]+$/.test(mention)) return []
  return exists(mention) ? [] : [`${document}: mention ${index + 1}, \`${mention}\`, does not exist`]
})
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
const lines = text.split('\n').length
if (lines >= 250) throw new Error(`${document} has ${lines} lines; the limit is 249`)
console.log(`every path and name in ${document} exists`)

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
