import { hash } from 'node:crypto'
import { invalid, notFound } from '../../../platform/failure.ts'
import { projectEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, projectTransaction } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import { findUserById } from '../../users/users.ts'
import { type FileRule, parseAlcoveFile, resolveFileRules } from '../rules/alcove-file.ts'
import { replaceFileRules } from '../rules/file-rules.ts'
import type { RuleDraft } from '../rules/rule.ts'
import { assignUnassigned } from './codeowners/assign-owners.ts'
import { type Codeowners, ownersOf, parseCodeowners, syntaxOf } from './codeowners/parse-codeowners.ts'
import { openResolver } from './codeowners/resolve-owners.ts'
import { parseGrypeYaml } from './ignore-files/grype-yaml.ts'
import { parseOsvScannerToml } from './ignore-files/osv-scanner-toml.ts'
import { parseSnyk } from './ignore-files/snyk-yaml.ts'
import { parseTrivyIgnore, parseTrivyIgnoreYaml } from './ignore-files/trivy-ignore.ts'
import {
  type FileEffect,
  type FileWarning,
  InvalidProjectFile,
  maxProjectFileBytes,
  type ProjectFile,
  type ProjectFileName,
  projectFileNames,
  type StoredProjectFile,
} from './project-file.ts'
import { deleteFile, findFile, listDigests, listFiles, upsertFile } from './project-file-queries.ts'
import { previewFileRules, type RuleFile } from './rule-previews.ts'

/** A received file before its name and text have been checked. */
export interface ReceivedText {
  /** Path as the sender named it. */
  path: string
  bytes: Uint8Array
}

const maxPathLength = 255

/** Checks the files of a report and returns them by name. Throws when any of them is unknown or invalid. */
export function readProjectFiles(received: readonly ReceivedText[], now: string): ProjectFile[] {
  const files = new Map<ProjectFileName, ProjectFile>()
  for (const { path, bytes } of received) {
    const shown = path.replace(/\p{Cc}/gu, ' ').slice(0, maxPathLength)
    const name = projectFileNames.find((known) => known === path.split(/[/\\]/).at(-1))
    if (!name) throw unusable(`${shown} is not one of ${projectFileNames.join(', ')}`)
    if (files.has(name)) throw unusable(`${shown}: a report may have one file named ${name}`)
    if (path !== shown) throw unusable(`${shown}: the path is too long or has control characters`)
    if (bytes.length > maxProjectFileBytes) throw unusable(`${shown}: a file may have up to 1 MiB`)
    const file = { name, path: path.replaceAll('\\', '/'), content: textOf(shown, bytes) }
    parseFile(file, now)
    files.set(name, file)
  }
  return [...files.values()]
}

function textOf(path: string, bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const line = text.split('\0', 1)[0]?.split('\n').length
    if (text.includes('\0')) throw unusable(`${path}, line ${line}: it has a NUL character`)
    return text
  } catch (error) {
    throw error instanceof TypeError ? unusable(`${path}, line ${firstInvalidLine(bytes)}: it is not UTF-8`) : error
  }
}

function firstInvalidLine(bytes: Uint8Array): number {
  const decoder = new TextDecoder('utf-8')
  const text = decoder.decode(bytes)
  return text.slice(0, text.indexOf('\ufffd')).split('\n').length
}

/** What a file states: owners, rules, or rules whose assignees are still usernames. */
interface ParsedFile {
  codeowners?: Codeowners
  rules?: readonly RuleDraft[]
  unresolved?: readonly FileRule[]
  warnings: readonly FileWarning[]
}

const parsers: Readonly<Record<ProjectFileName, (file: ProjectFile, now: string) => ParsedFile>> = {
  CODEOWNERS: ({ content, path }) => {
    const codeowners = parseCodeowners(content, syntaxOf(path))
    return { codeowners, warnings: codeowners.warnings }
  },
  'alcove.yml': ({ content }, now) => parseAlcoveYml(content, now),
  '.trivyignore': ({ content }) => parseTrivyIgnore(content),
  '.trivyignore.yaml': ({ content }) => parseTrivyIgnoreYaml(content),
  '.grype.yaml': ({ content }) => parseGrypeYaml(content),
  '.snyk': ({ content }) => parseSnyk(content),
  'osv-scanner.toml': ({ content }) => parseOsvScannerToml(content),
}

/** The parser needs about a second for a text of this length that is full of errors. */
const maxAlcoveBytes = 64 * 1024

function parseAlcoveYml(content: string, now: string): ParsedFile {
  if (Buffer.byteLength(content) > maxAlcoveBytes) throw new InvalidProjectFile(1, 'alcove.yml may have up to 64 KiB')
  const parsed = parseAlcoveFile(content, now)
  if ('rules' in parsed) return { unresolved: parsed.rules, warnings: [] }
  const [first, ...others] = parsed.problems
  const further = others.map(({ line, message }) => `; line ${line}: ${message}`).join('')
  throw new InvalidProjectFile(first?.line ?? 1, `${first?.message ?? 'it cannot be read'}${further}`)
}

/** Throws for texts that escapes in YAML or TOML can produce and databases cannot store: NUL and half of a character. */
function assertStorable({ rules, unresolved, warnings }: ParsedFile): void {
  JSON.stringify([rules, unresolved, warnings], (_, value: unknown) => {
    if (typeof value === 'string' && (value.includes('\0') || /\p{Surrogate}/u.test(value))) {
      throw new InvalidProjectFile(1, 'an escape stands for NUL or for half of a character')
    }
    return value
  })
}

/** Finds the assignees of rules. A rule with an assignee who may not triage is a warning instead. */
async function resolved(deps: Deps, project: Project, parsed: ParsedFile): Promise<ParsedFile> {
  if (!parsed.unresolved) return parsed
  const { rules, problems } = await resolveFileRules(deps, project, parsed.unresolved)
  return { rules, warnings: problems }
}

function parseFile(file: ProjectFile, now: string): ParsedFile {
  try {
    const parsed = parsers[file.name](file, now)
    assertStorable(parsed)
    return parsed
  } catch (error) {
    if (!(error instanceof InvalidProjectFile)) throw error
    throw unusable(`${file.path}, line ${error.line}: ${error.message}`)
  }
}

const unusable = (message: string) => invalid({ project_files: [message] })

const sha256Of = (content: string) => hash('sha256', content)

interface FileOrigin {
  importId: number
  ref: string
  userId: number | null
  now: string
}

/**
 * Stores the files of an import, in its transaction, and returns a function that applies those with new content to the
 * existing vulnerabilities. New ones are assigned by the stored files.
 */
export async function storeProjectFiles(
  deps: Deps,
  project: Project,
  files: readonly ProjectFile[],
  origin: FileOrigin,
): Promise<() => Promise<FileEffect[]>> {
  const digests = await listDigests(deps.db, project.id)
  const all: { file: ProjectFile; parsed: ParsedFile; isNew: boolean }[] = []
  for (const file of files) {
    const parsed = await resolved(deps, project, parseFile(file, origin.now))
    all.push({ file, parsed, isNew: isNew(digests, file) })
  }
  for (const { file, parsed, isNew } of all) {
    const { warnings } = parsed
    await upsertFile(deps.db, { ...file, ...origin, projectId: project.id, sha256: sha256Of(file.content), warnings })
    if (isNew) await recordNewFile(deps, project, file, origin)
  }
  return async () => {
    const effects: FileEffect[] = []
    for (const { file, parsed, isNew } of all) {
      effects.push(
        effectOf(file, parsed, {
          isNew,
          assigned: isNew ? await applyFile(deps, project, file, { parsed, origin }) : 0,
        }),
      )
    }
    return effects
  }
}

/** Applies a file with new content, and returns how many vulnerabilities it has assigned. */
async function applyFile(
  deps: Deps,
  project: Project,
  { name }: ProjectFile,
  { parsed: { codeowners, rules }, origin }: { parsed: ParsedFile; origin: FileOrigin },
): Promise<number> {
  if (rules) await replaceFileRules(deps, project, { file: name, rules, createdById: origin.userId })
  return codeowners ? assignUnassigned(deps, project, codeowners, origin) : 0
}

async function recordNewFile(
  deps: Deps,
  project: Project,
  { name, path, content }: ProjectFile,
  { userId, importId }: FileOrigin,
): Promise<void> {
  const author = userId === null ? undefined : await findUserById(deps.db, userId)
  await recordAuditEvent(deps, 'project_file_updated', {
    entity: projectEntity(project),
    message: `Stored ${path} of report ${importId}`,
    target: { type: 'SecurityReport', id: importId, name: `report ${importId}` },
    author: author ?? null,
    extra: { file: name, sha256: sha256Of(content) },
  })
}

/**
 * Returns what `storeProjectFiles` would do with the existing vulnerabilities, and writes nothing. Without `withSamples`,
 * the effects of rules are only counts.
 */
export async function previewProjectFiles(
  deps: Deps,
  project: Project,
  files: readonly ProjectFile[],
  { withSamples }: { withSamples: boolean },
): Promise<FileEffect[]> {
  const digests = await listDigests(deps.db, project.id)
  const effects: FileEffect[] = []
  const ruleFiles: RuleFile[] = []
  for (const file of files) {
    const parsed = await resolved(deps, project, parseFile(file, deps.now()))
    const isNewFile = isNew(digests, file)
    const { codeowners } = parsed
    const assigned = isNewFile && codeowners ? await assignUnassigned(deps, project, codeowners, undefined) : 0
    effects.push(effectOf(file, parsed, { isNew: isNewFile, assigned }))
    if (parsed.rules) ruleFiles.push({ name: file.name, rules: parsed.rules })
  }
  if (ruleFiles.length === 0) return effects
  const previews = await previewFileRules(deps, project, ruleFiles, { withSamples })
  return effects.map((effect) => ({ ...effect, rulePreviews: previews.get(effect.name) }))
}

/** The effects of files that are not applied. */
export const ignoredFiles = (files: readonly ProjectFile[]): FileEffect[] =>
  files.map(({ name, path }) => ({ name, path, status: 'ignored', assigned: 0, rules: 0, warnings: [] }))

const isNew = (digests: ReadonlyMap<string, string>, { name, path, content }: ProjectFile) =>
  digests.get(name) !== `${path} ${sha256Of(content)}`

const effectOf = (
  { name, path }: ProjectFile,
  { warnings, rules = [] }: ParsedFile,
  { isNew, assigned }: { isNew: boolean; assigned: number },
): FileEffect => ({ name, path, status: isNew ? 'applied' : 'unchanged', assigned, rules: rules.length, warnings })

/** Returns the last files of a project by name. */
export const findProjectFiles = ({ db }: Deps, project: Project): Promise<StoredProjectFile[]> =>
  listFiles(db, project.id)

/** Deletes a stored file and its rules, whose effects a job reverts. What it has assigned stays. */
export function deleteProjectFile(deps: Deps, project: Project, name: ProjectFileName): Promise<void> {
  return projectTransaction(deps, project.id, async (deps) => {
    if (!(await deleteFile(deps.db, project.id, name))) throw notFound()
    if (name !== 'CODEOWNERS') await replaceFileRules(deps, project, { file: name, rules: [], createdById: null })
    await recordAuditEvent(deps, 'project_file_destroyed', {
      entity: projectEntity(project),
      message: `Deleted the stored file ${name}`,
    })
  })
}

/** The stored CODEOWNERS with its rules, and the owners who are not users that may triage. */
export interface CodeownersOfProject {
  file: StoredProjectFile
  codeowners: Codeowners
  owners: { owner: string; line: number; user: { id: number; username: string } | undefined }[]
}

export async function readCodeowners(deps: Deps, project: Project): Promise<CodeownersOfProject> {
  const file = await findFile(deps.db, project.id, 'CODEOWNERS')
  if (!file) throw notFound()
  const codeowners = parseCodeowners(file.content, syntaxOf(file.path))
  const resolve = openResolver(deps, project)
  const owners: CodeownersOfProject['owners'] = []
  for (const [owner, line] of ownersOf(codeowners)) owners.push({ owner, line, user: await resolve(owner) })
  return { file, codeowners, owners }
}
