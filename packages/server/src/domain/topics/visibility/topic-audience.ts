import type { Deps } from '../../deps.ts'
import { type Audience, audienceOf } from '../../projects/audience.ts'
import type { Visitor } from '../../projects/visible.ts'

/**
 * Returns the projects whose topics the caller can read, or `undefined` when they can read all topics: by default, and
 * always as an administrator.
 */
export function topicAudience({ settings, now }: Deps, caller: Visitor | null): Audience | undefined {
  if (!settings.hidesTopicsOfHiddenProjects || caller?.isAdmin) return undefined
  return audienceOf(caller, now().slice(0, 10))
}

/** Tables that decide which projects an audience has. */
export const audienceTables = ['project_topics', 'projects', 'members', 'namespaces']
