import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/*
 * Builds the site of the documents and checks it (`npm run check -- docs`). VitePress fails on a dead link between pages.
 * This program also finds links to missing files, pages that are not built, and anything that a page would load from
 * another host.
 */
const root = fileURLToPath(new URL('../', import.meta.url))
const site = join(root, 'dist/docs')

/** Elements whose address the browser loads by itself. Links are followed only when the reader clicks. */
const loaded =
  /<(?:script|link|img|iframe|source|video|audio|object|embed|use)\b[^>]*?\s(?:src|href|data|srcset)="((?:https?:)?\/\/[^"]+)"/g

execFileSync('npm', ['run', '--silent', 'docs'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })

const files = readdirSync(site, { recursive: true, encoding: 'utf8' })
const problems = [...missingPages(), ...files.flatMap((file) => problemsOf(file))]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exit(1)
console.log(`the site of ${pagesIn(files).length} pages has all linked files and loads nothing from other hosts`)

function pagesIn(names: readonly string[]): string[] {
  return names.filter((name) => name.endsWith('.html'))
}

function missingPages(): string[] {
  const sources = execFileSync('git', ['ls-files', '*.md', ':!packages', ':!bench'], { cwd: root, encoding: 'utf8' })
  return sources
    .split('\n')
    .filter(Boolean)
    .map((name) => (name === 'README.md' ? 'index.html' : name.replace(/\.md$/, '.html')))
    .filter((name) => !files.includes(name))
    .map((name) => `${name} is missing`)
}

function problemsOf(file: string): string[] {
  if (file.endsWith('.html')) return problemsOfPage(file)
  if (file.endsWith('.css')) return foreignIn(file, /(?:url\(\s*["']?|@import\s+["'])((?:https?:)?\/\/[^"')]+)/g)
  if (file.endsWith('.js'))
    return foreignIn(file, /(?:import\(|from|fetch\(|\.src\s*=|importScripts\()\s*["'`]((?:https?:)?\/\/[^"'`]+)/g)
  return []
}

function problemsOfPage(file: string): string[] {
  const html = readFileSync(join(site, file), 'utf8')
  const targets = [...html.matchAll(/<[a-z]+\b[^>]*?\s(?:href|src)="([^"#?]+)/g)].map(([, target = '']) => target)
  const missing = targets
    .filter((target) => !/^[a-z][a-z+.-]*:|^\/\//i.test(target))
    .map((target) => decodeURIComponent(target))
    .filter((target) => !isFile(target.startsWith('/') ? join(site, target) : join(site, dirname(file), target)))
  return [...new Set(missing)]
    .map((target) => `${file} refers to ${target}, which is missing`)
    .concat(foreignIn(file, loaded))
}

function isFile(path: string): boolean {
  return existsSync(path.endsWith('/') ? join(path, 'index.html') : path)
}

function foreignIn(file: string, pattern: RegExp): string[] {
  const text = readFileSync(join(site, file), 'utf8')
  return [...text.matchAll(pattern)].map(([, address]) => `${file} loads ${address}`)
}
