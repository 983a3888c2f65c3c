import { notFound, parameterProblem } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import { resolveVisibleProject } from '../projects/resolve-visible.ts'
import { renderAside } from './rendering.ts'

const maxTextBytes = 1024 * 1024
/** Maximum length of a text in an anonymous request. All anonymous requests share one turn in the rendering threads. */
const maxAnonymousLength = 4096

/** Renders a text as in a project, which the caller must be able to read, or without any project. */
export async function previewMarkdown(
  deps: Deps,
  caller: Caller | null,
  text: string,
  reference?: string,
): Promise<string> {
  if (Buffer.byteLength(text) > maxTextBytes) throw parameterProblem('text is too long (maximum is 1 MiB)')
  if (!caller && text.length > maxAnonymousLength) {
    throw parameterProblem(`text is too long (maximum is ${maxAnonymousLength} characters for anonymous requests)`)
  }
  const owner = caller ? `user ${caller.user.id}` : 'anonymous'
  if (reference === undefined) return renderAside(text, owner)
  const project = await readableProject(deps, caller, reference)
  return renderAside(text, owner, { projectId: project.id })
}

async function readableProject(deps: Deps, caller: Caller | null, reference: string): Promise<Project> {
  const resolved = await resolveVisibleProject(deps, caller, reference)
  if (!resolved) throw notFound('Project')
  return resolved.found
}
