import { type FileWarning, InvalidProjectFile } from '../project-file.ts'
import { compilePattern, type PathPattern, type Syntax, segmentsOf } from './path-pattern.ts'

/** A line of CODEOWNERS: a pattern and its owners, or those of its section. */
interface OwnerRule {
  line: number
  pattern: string
  owners: readonly string[]
}

interface CompiledRule extends OwnerRule {
  matches: PathPattern
  isExclusion: boolean
}

interface Section {
  name: string
  rules: CompiledRule[]
}

export interface Codeowners {
  sections: readonly Section[]
  warnings: readonly FileWarning[]
}

const maxRules = 5_000
const maxOwners = 1_000
const maxLineLength = 4_096

/** GitHub reads only the file in `.github/`; GitLab and this server read the others with GitLab's rules. */
export const syntaxOf = (path: string): Syntax => (/(^|\/)\.github\/CODEOWNERS$/.test(path) ? 'github' : 'gitlab')

/** Parses CODEOWNERS. Lines that its forge ignores become warnings. Throws `InvalidProjectFile`. */
export function parseCodeowners(text: string, syntax: Syntax): Codeowners {
  const sections = new Map<string, Section>([['', { name: '', rules: [] }]])
  const warnings: FileWarning[] = []
  const owners = new Set<string>()
  let section = sections.get('')
  let defaults: readonly string[] = []
  let rules = 0
  for (const [index, whole] of text.split('\n').entries()) {
    const line = index + 1
    if (whole.length > maxLineLength) throw new InvalidProjectFile(line, `is longer than ${maxLineLength} characters`)
    const content = whole.trim()
    if (content === '' || content.startsWith('#')) continue
    const heading = syntax === 'gitlab' ? readHeading(content, line) : undefined
    const [pattern = '', ...words] = heading ? ['', ...heading.words] : splitWords(content)
    const named = ownersIn(words, line, warnings)
    for (const owner of named) owners.add(owner.toLowerCase())
    if (owners.size > maxOwners) throw new InvalidProjectFile(line, `there are more than ${maxOwners} owners`)
    if (heading) {
      const key = heading.name.toLowerCase()
      section = sections.get(key) ?? { name: heading.name, rules: [] }
      sections.set(key, section)
      defaults = named
      continue
    }
    if (++rules > maxRules) throw new InvalidProjectFile(line, `there are more than ${maxRules} patterns`)
    const isExclusion = pattern.startsWith('!')
    if (isExclusion && syntax === 'github') {
      warnings.push({ line, message: 'GitHub has no exclusions with !' })
      continue
    }
    const used = isExclusion ? pattern.slice(1) : pattern
    const effective = words.length > 0 ? named : defaults
    section?.rules.push({ line, pattern, owners: effective, isExclusion, matches: compilePattern(used, syntax) })
  }
  return { sections: [...sections.values()], warnings: warnings.slice(0, maxWarnings) }
}

const maxWarnings = 100

/** Reads `[Name]`, `^[Name]` and `[Name][2]`, each with or without default owners. */
function readHeading(content: string, line: number): { name: string; words: string[] } | undefined {
  const start = content.startsWith('^[') ? 2 : content.startsWith('[') ? 1 : 0
  if (start === 0) return undefined
  const end = content.indexOf(']', start)
  const name = content.slice(start, end).trim()
  if (end < 0) throw new InvalidProjectFile(line, 'the heading of a section has no closing bracket')
  if (name === '') throw new InvalidProjectFile(line, 'the heading of a section has no name')
  let rest = content.slice(end + 1)
  if (rest.startsWith('[')) {
    const close = rest.indexOf(']')
    if (close < 0) throw new InvalidProjectFile(line, 'the number of approvals has no closing bracket')
    rest = rest.slice(close + 1)
  }
  return { name, words: splitWords(rest) }
}

/** Splits at spaces that are not escaped. Escapes stay, for the pattern. A word that begins with `#` starts a comment. */
function splitWords(content: string): string[] {
  const words: string[] = []
  let word = ''
  for (let index = 0; index <= content.length; index++) {
    const character = content.charAt(index)
    if (character === '\\' && index + 1 < content.length) {
      word += character + content.charAt(++index)
    } else if (character === '' || character === ' ' || character === '\t') {
      if (word.startsWith('#')) break
      if (word !== '') words.push(word)
      word = ''
    } else word += character
  }
  return words
}

/** Returns users by name or e-mail address. Groups and roles are skipped with a warning. */
function ownersIn(words: readonly string[], line: number, warnings: FileWarning[]): string[] {
  return words.filter((word) => {
    const shown = word.slice(0, 255)
    if (word.startsWith('@@')) warnings.push({ line, message: `${shown} is a role; only users are assigned` })
    else if (word.startsWith('@') && word.includes('/'))
      warnings.push({ line, message: `${shown} is a group or team; only users are assigned` })
    else if (word.startsWith('@') && word.length > 1 && word.length <= 255) return true
    else if (isEmail(word)) return true
    else warnings.push({ line, message: `${shown} is neither a user nor an e-mail address` })
    return false
  })
}

function isEmail(word: string): boolean {
  const at = word.indexOf('@')
  return at > 0 && at === word.lastIndexOf('@') && at < word.length - 1 && word.length <= 255
}

/** A rule that applies to a path, and its section. */
export interface MatchedRule extends OwnerRule {
  section: string
}

/** Returns the rule of each section that applies to a path: the last that matches, unless an exclusion of the section does. */
export function rulesFor({ sections }: Codeowners, path: string): MatchedRule[] {
  const segments = segmentsOf(path)
  if (!segments) return []
  return sections.flatMap(({ name, rules }) => {
    if (rules.some(({ isExclusion, matches }) => isExclusion && matches(segments))) return []
    const found = rules.findLast(({ isExclusion, matches }) => !isExclusion && matches(segments))
    return found ? [{ section: name, line: found.line, pattern: found.pattern, owners: found.owners }] : []
  })
}

/** Returns every owner with the first line to which they apply, in the order of the file. */
export function ownersOf({ sections }: Codeowners): Map<string, number> {
  const owners = new Map<string, number>()
  const rules = sections.flatMap((section) => section.rules).sort((a, b) => a.line - b.line)
  for (const { line, owners: named } of rules)
    for (const owner of named) if (!owners.has(owner)) owners.set(owner, line)
  return owners
}
