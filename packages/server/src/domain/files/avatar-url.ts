/** Returns the address of an avatar, or null without one. */
export function avatarUrl(
  kind: 'project' | 'group' | 'user',
  { id, avatarFilename }: { id: number; avatarFilename: string | null },
  origin: string,
): string | null {
  return avatarFilename && `${origin}/uploads/-/system/${kind}/avatar/${id}/${encodeURIComponent(avatarFilename)}`
}
