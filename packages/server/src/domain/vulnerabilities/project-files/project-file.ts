import type { Person } from '../../users/user.ts'
import type { RulePreview } from '../rules/preview.ts'

/** Names of the files of a repository that a report may bring along. */
export const projectFileNames = [
  'CODEOWNERS',
  'alcove.yml',
  '.trivyignore',
  '.trivyignore.yaml',
  '.grype.yaml',
  '.snyk',
  'osv-scanner.toml',
] as const
export type ProjectFileName = (typeof projectFileNames)[number]

export const maxProjectFileBytes = 1024 * 1024

/** A file of a repository, as its sender named it. */
export interface ProjectFile {
  name: ProjectFileName
  path: string
  content: string
}

/** A part of a file that has no effect, and why. */
export interface FileWarning {
  line: number
  message: string
}

/** The last file of its name that a report of the project had. */
export interface StoredProjectFile extends ProjectFile {
  id: number
  ref: string
  sha256: string
  warnings: readonly FileWarning[]
  importId: number | null
  /** The sender; null when the account was deleted. */
  author: Person | null
  createdAt: string
  updatedAt: string
}

/** What a report did, or would do, with one of its files. */
export interface FileEffect {
  name: ProjectFileName
  path: string
  /** `applied`: its content is new. `unchanged`: the project has this content. `ignored`: see the warnings of the import. */
  status: 'applied' | 'unchanged' | 'ignored'
  /** Number of existing vulnerabilities that received an assignee. */
  assigned: number
  /** Number of rules that the file states. */
  rules: number
  warnings: readonly FileWarning[]
  /** What each rule would change, in a dry run. */
  rulePreviews?: readonly FileRulePreview[] | undefined
}

/** What a rule of a file would change in the existing vulnerabilities. */
export interface FileRulePreview {
  name: string
  /** `updated`: the file has had a rule with the same effects. `removed`: the file does not have the rule any more. */
  change: FileRuleChange
  preview: RulePreview
}

export const fileRuleChanges = ['created', 'updated', 'unchanged', 'removed'] as const
export type FileRuleChange = (typeof fileRuleChanges)[number]

/** A file that cannot be used. */
export class InvalidProjectFile extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.name = 'InvalidProjectFile'
    this.line = line
  }
}
