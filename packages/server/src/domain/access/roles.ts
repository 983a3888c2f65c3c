/** GitLab's access levels. A role includes everything below it. */
export const roles = { guest: 10, planner: 15, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const

export type Role = keyof typeof roles

/** Access levels that can be granted: the roles, and minimal access, which grants no permissions. */
export const grantableLevels: readonly number[] = [5, ...Object.values(roles)]

export function roleName(level: number): string {
  const name = Object.entries(roles).find(([, value]) => value === level)?.[0] ?? 'minimal access'
  return name.charAt(0).toUpperCase() + name.slice(1)
}

export type Visibility = 'private' | 'internal' | 'public'

const reach: Record<Visibility, number> = { private: 0, internal: 1, public: 2 }

/** Returns true when the first visibility admits more users than the second. */
export function isWider(visibility: Visibility, than: Visibility): boolean {
  return reach[visibility] > reach[than]
}

/** Returns the visibilities that admit more users than this one. */
export const visibilitiesBeyond = (visibility: Visibility): Visibility[] =>
  // `Object.keys` loses the type of the keys.
  (Object.keys(reach) as Visibility[]).filter((each) => isWider(each, visibility))
