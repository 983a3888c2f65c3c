import type { Project } from '../../../domain/projects/project.ts'

interface Linked {
  id: number
  vulnerabilityId: number | null
}

/** Returns the address of a finding in the web UI: that of its vulnerability, if it has one. */
export function findingUrl({ fullPath }: Project, { id, vulnerabilityId }: Linked, origin: string): string {
  if (vulnerabilityId !== null) return vulnerabilityUrl(fullPath, vulnerabilityId, origin)
  return `${origin}/${fullPath}/-/findings/${id}`
}

/** Returns GitLab's address of a vulnerability. */
export function vulnerabilityUrl(projectPath: string, id: number, origin: string): string {
  return `${origin}/${projectPath}/-/security/vulnerabilities/${id}`
}
