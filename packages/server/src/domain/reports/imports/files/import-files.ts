import type { Caller } from '../../../access/callers.ts'
import type { Deps } from '../../../deps.ts'
import { isStillPermitted } from '../../../projects/current-rights.ts'
import type { Project } from '../../../projects/project.ts'
import { findProjectById } from '../../../projects/projects.ts'
import type { ProjectFile } from '../../../vulnerabilities/project-files/project-file.ts'
import {
  ignoredFiles,
  previewProjectFiles,
  storeProjectFiles,
} from '../../../vulnerabilities/project-files/project-files.ts'
import type { ImportOutcome } from '../import.ts'
import type { QueuedImport } from '../import-rights.ts'
import { takeImportFiles } from './import-file-queries.ts'

/** Returns whether the token of the request permits triage. The role of its user is checked when the files are applied. */
export const hasTriageScope = ({ token }: Pick<Caller, 'token'>): boolean => token.scopes.includes('api')

type Sender = Pick<QueuedImport, 'userId' | 'asAdmin' | 'ref'> & { hasTriageScope: boolean }

/** Returns why the files of a report have no effect, or undefined if they have. */
async function refusal(deps: Deps, projectId: number, sender: Sender): Promise<string | undefined> {
  const project = await findProjectById(deps.db, projectId)
  if (!project) return undefined
  const { defaultBranch } = project
  if (sender.ref !== defaultBranch)
    return `Project files have effects only with a report for the default branch ${defaultBranch}.`
  if (project.acceptReportersFiles) return undefined
  if (sender.hasTriageScope && (await isStillPermitted(deps, 'vulnerability.bulk', project, sender))) return undefined
  return (
    'The sender may not triage vulnerabilities of this project with this token, and the project does not accept files of ' +
    'other senders (accept_reporters_files).'
  )
}

type FileOutcome = Pick<ImportOutcome, 'warnings' | 'projectFiles'>

const ignored = (files: readonly ProjectFile[], why: string): FileOutcome => ({
  warnings: [
    {
      type: 'ProjectFilesIgnored',
      message: `${why} Not applied: ${files.map(({ path }) => path).join(', ')}.`,
      pointer: '',
    },
  ],
  projectFiles: ignoredFiles(files),
})

/** Describes what the files of a report would do. */
export async function describeFiles(
  deps: Deps,
  project: Project,
  files: readonly ProjectFile[],
  sender: Sender,
): Promise<FileOutcome> {
  if (files.length === 0) return { warnings: [] }
  const why = await refusal(deps, project.id, sender)
  if (why !== undefined) return ignored(files, why)
  // A token that only sends reports does not read vulnerabilities.
  const withSamples = sender.hasTriageScope
  return { warnings: [], projectFiles: await previewProjectFiles(deps, project, files, { withSamples }) }
}

/** Stores the files of an import in its transaction. The returned function applies them after the findings are visible. */
export async function commitFiles(
  deps: Deps,
  project: Project,
  { id, options, ...queued }: QueuedImport & { id: number },
  now: string,
): Promise<() => Promise<FileOutcome>> {
  const files = await takeImportFiles(deps.db, id)
  if (files.length === 0) return async () => ({ warnings: [] })
  const why = await refusal(deps, project.id, { ...queued, hasTriageScope: options.hasTriageScope === true })
  if (why !== undefined) return async () => ignored(files, why)
  const origin = { importId: id, ref: queued.ref, userId: queued.userId, now }
  const apply = await storeProjectFiles(deps, project, files, origin)
  return async () => ({ warnings: [], projectFiles: await apply() })
}
