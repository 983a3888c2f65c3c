import type { InvalidAttributes } from '../../platform/failure.ts'
import { reservedNames } from '../users/user-draft.ts'

const maxLength = 255
const maxDescriptionLength = 2000
const blank = "can't be blank"
const tooLong = (max: number) => `is too long (maximum is ${max} characters)`

const pathCharacters = /^[a-zA-Z0-9_.][a-zA-Z0-9_.-]*$/
const projectPathRule =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'"
const groupPathRule =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
const projectNameRule =
  "can contain only letters, digits, emoji, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'."
const groupNameRule =
  "can contain only letters, digits, emoji, '_', '.', dash, space, parenthesis. It must start with letter, digit, emoji or '_'."
const projectName =
  /^[\p{Alphabetic}\p{M}\p{Nd}\u{a9}-\u{1f9ff}_][\p{Alphabetic}\p{M}\p{Nd}\p{Pd}+\u{a9}-\u{1f9ff}_. ]*$/u
const groupName = /^[\p{Alphabetic}\p{M}\p{Nd}\u{a9}-\u{1f9ff}_][\p{Alphabetic}\p{M}\p{Nd}\u{a9}-\u{1f9ff}_()\-. ]*$/u

/** Returns the validation errors of those project attributes that are given. */
export function projectProblems(draft: {
  name?: string | undefined
  path?: string | undefined
  description?: string | null | undefined
  defaultBranch?: string | undefined
  protectedRefs?: readonly string[] | undefined
}): InvalidAttributes {
  const { name, path, description, defaultBranch, protectedRefs = [] } = draft
  return withoutEmpty({
    name: name === undefined ? [] : nameProblems(name, projectName, projectNameRule),
    path: path === undefined ? [] : pathProblems(path, isProjectPath, projectPathRule, reservedInGroups),
    description: descriptionProblems(description),
    default_branch: defaultBranch === undefined || isBranchName(defaultBranch) ? [] : ['is not a valid branch name'],
    protected_refs: protectedRefProblems(protectedRefs),
  })
}

const maxProtectedRefs = 100

const protectedRefProblems = (names: readonly string[]): string[] => [
  ...(names.length > maxProtectedRefs ? [`are too many (maximum is ${maxProtectedRefs})`] : []),
  ...(names.some((name) => name.length > maxLength) ? [tooLong(maxLength)] : []),
]

/** Returns the validation errors of those group attributes that are given. */
export function groupProblems(
  draft: { name?: string | undefined; path?: string | undefined; description?: string | undefined },
  isTopLevel: boolean,
): InvalidAttributes {
  const { name, path, description } = draft
  return withoutEmpty({
    name: name === undefined ? [] : nameProblems(name, groupName, groupNameRule),
    path:
      path === undefined
        ? []
        : pathProblems(path, isGroupPath, groupPathRule, isTopLevel ? reservedNames : reservedInGroups),
    description: descriptionProblems(description),
  })
}

/** Validates the length of a full path. Reports it as an error of `path`, as GitLab does. */
export function fullPathProblems(fullPath: string): InvalidAttributes {
  return fullPath.length > maxLength ? { path: [tooLong(maxLength)] } : {}
}

/** Returns the name itself if it is a valid path, otherwise a lower-case form of it: `Über Maß` becomes `uber-mass`. */
export function pathFromName(name: string): string {
  if (isProjectPath(name)) return name
  return name
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-|-$/g, '')
}

/** URL segments that follow a group's path, and so cannot be paths of its children. */
const reservedInGroups = new Set([
  ...['-', 'badges', 'blame', 'blob', 'builds', 'commits', 'create', 'create_dir', 'edit', 'files', 'find_file'],
  ...['new', 'preview', 'raw', 'refs', 'tree', 'update', 'wikis'],
])

function isProjectPath(path: string): boolean {
  return pathCharacters.test(path) && !/\.(git|atom)$/i.test(path)
}

function isGroupPath(path: string): boolean {
  return isProjectPath(path) && !path.endsWith('.')
}

function nameProblems(name: string, pattern: RegExp, rule: string): string[] {
  if (name.trim() === '') return [blank]
  return [...(isLonger(name, maxLength) ? [tooLong(maxLength)] : []), ...(pattern.test(name) ? [] : [rule])]
}

function pathProblems(
  path: string,
  isAllowed: (path: string) => boolean,
  rule: string,
  reserved: ReadonlySet<string>,
): string[] {
  if (path.trim() === '') return [blank]
  if (!isAllowed(path)) return [rule]
  if (path.length > maxLength) return [tooLong(maxLength)]
  return reserved.has(path.toLowerCase()) ? [`${path} is a reserved name`] : []
}

function descriptionProblems(description: string | null | undefined): string[] {
  return isLonger(description ?? '', maxDescriptionLength) ? [tooLong(maxDescriptionLength)] : []
}

/** Returns true for a valid git branch name. */
function isBranchName(name: string): boolean {
  return (
    name.length <= maxLength &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be in it
    !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^[/-]|\/$|\.$|\.lock(\/|$)|(^|\/)\.|^@$/.test(name)
  )
}

function isLonger(text: string, max: number): boolean {
  return text.length > max && [...text].length > max
}

function withoutEmpty(problems: Record<string, readonly string[]>): InvalidAttributes {
  return Object.fromEntries(Object.entries(problems).filter(([, messages]) => messages.length > 0))
}
