import Type, { type Static } from 'typebox'
import type { RootDeps } from '../../../domain/deps.ts'
import { localChanges, type Mirror } from '../../../domain/import-sources/import-source.ts'
import { type MirrorPlace, readMirrors } from '../../../domain/import-sources/mirrors.ts'

export const mirrorView = Type.Object(
  {
    url: Type.String({ description: 'Address of the other server' }),
    local_changes: Type.Enum(localChanges, {
      description: 'Changes that this server permits: none, triage, or all that a role permits',
    }),
  },
  { title: 'MirrorSource', description: 'The server that a mirror copies from. Missing unless the object is a mirror' },
)

/** The last field of groups, projects and topics. Only mirrors have it, so that other responses are GitLab's. */
export const mirrorField = { mirrored_from: Type.Optional(mirrorView) }

/** Adds the source of those objects that are mirrors. */
export async function addMirrors<View extends { id?: number | undefined }>(
  deps: Pick<RootDeps, 'db'>,
  kind: MirrorPlace['kind'],
  views: readonly View[],
): Promise<(View & { mirrored_from?: Static<typeof mirrorView> })[]> {
  const mirrors = await readMirrors(
    deps,
    kind,
    views.map(({ id }) => id ?? 0),
  )
  if (mirrors.size === 0) return [...views]
  return views.map((view) => {
    const mirror = mirrors.get(view.id ?? 0)
    return mirror ? { ...view, mirrored_from: viewMirror(mirror) } : view
  })
}

export function viewMirror({ source, localChanges }: Mirror): Static<typeof mirrorView> {
  return { url: source, local_changes: localChanges }
}
