import type { Permission } from '../../../domain/access/permissions.ts'
import type { VulnerabilityWithFinding } from '../../../domain/vulnerabilities/vulnerability.ts'
import { type Context, isRefusal } from '../context.ts'

/**
 * Returns whether the guard permits the caller something in the vulnerability or its project. The answer is the same for
 * all vulnerabilities of a project, so a list asks once for each of them.
 */
export function may(permission: Permission, kind: 'vulnerability' | 'project') {
  return ({ vulnerability }: VulnerabilityWithFinding, _: unknown, { permit, rights }: Context): Promise<boolean> => {
    const { id, projectId } = vulnerability
    const key = `${permission} ${projectId}`
    const known = rights.get(key) ?? isPermitted(permit(permission, String(kind === 'project' ? projectId : id)))
    rights.set(key, known)
    return known
  }
}

async function isPermitted(permitted: Promise<unknown>): Promise<boolean> {
  try {
    await permitted
    return true
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
}
