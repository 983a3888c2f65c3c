import { notFound, parameterProblem } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import { sightProject } from '../projects/sight.ts'
import { renderAside } from './rendering.ts'

const maxTextBytes = 1024 * 1024

/** What a text would look like in a project, which the caller must be able to read; or anywhere, without one. */
export async function previewMarkdown(deps: Deps, caller: Caller, text: string, reference?: string): Promise<string> {
  if (Buffer.byteLength(text) > maxTextBytes) throw parameterProblem('text is too long (maximum is 1 MiB)')
  if (reference === undefined) return renderAside(text)
  const project = await readableProject(deps, caller, reference)
  return renderAside(text, { projectId: project.id })
}

async function readableProject(deps: Deps, caller: Caller, reference: string): Promise<Project> {
  const sighted = await sightProject(deps, caller, reference)
  if (!sighted) throw notFound('Project')
  return sighted.found
}
