import type { Copy, ImportKind, ImportSource, ImportSources } from './copy.ts'

/** Reads all objects that were imported from the source before. */
export async function readImportSources({ source, target }: Pick<Copy, 'source' | 'target'>): Promise<ImportSources> {
  const rows = new Map<string, ImportSource>()
  const sourceIds = new Map<string, string>()
  const keyOf = ({ kind, source_id }: Pick<ImportSource, 'kind' | 'source_id'>) => `${kind} ${source_id}`
  const set = (row: ImportSource) => {
    rows.set(keyOf(row), row)
    sourceIds.set(`${row.kind} ${row.target_id}`, row.source_id)
  }
  for (let page = 1, isLast = false; !isLast; page++) {
    const { rows: listed, hasNext } = await target.page('GET /import_sources', {
      query: { source: source.url, page, per_page: 100 },
    })
    for (const row of listed) set(row)
    isLast = !hasNext
  }
  return {
    find: (kind, sourceId) => rows.get(keyOf({ kind, source_id: sourceId })),
    sourceOf: (kind, targetId) => sourceIds.get(`${kind} ${targetId}`),
    mirrors: () => [...rows.values()].filter(({ mirror }) => mirror !== null && mirror !== 'detached'),
    set,
  }
}

/**
 * Records of which object of the source an object of the target is a copy, and in a mirror that only the importer may
 * change it. Sends nothing that the target has stored already.
 */
export async function recordSource(
  copy: Copy,
  { kind, sourceId, targetId }: { kind: ImportKind; sourceId: string; targetId: number },
  avatarSha256?: string | null,
): Promise<void> {
  if (copy.isDryRun) return
  const known = copy.sources.find(kind, sourceId)
  const mode = kind === 'user' ? undefined : copy.mirror?.localChanges
  const isSame =
    known?.target_id === targetId &&
    (mode === undefined || (known.mirror === mode && known.mirrored_by_id === copy.importerId)) &&
    (avatarSha256 === undefined || known.avatar_sha256 === avatarSha256)
  if (isSame) return
  const body = {
    source: copy.source.url,
    kind,
    source_id: sourceId,
    target_id: targetId,
    ...(mode !== undefined && { local_changes: mode }),
    ...(avatarSha256 !== undefined && { avatar_sha256: avatarSha256 }),
  }
  copy.sources.set(await copy.target.call('PUT /import_sources', { body }))
}

/** Returns whether a mirror leaves the object alone, because its owner has detached it. */
export function isDetached(copy: Copy, kind: ImportKind, sourceId: string): boolean {
  return copy.mirror !== undefined && copy.sources.find(kind, sourceId)?.mirror === 'detached'
}

/** Why an object is not copied to a path that a copy of another object of the source has. */
export const pathOfAnother = 'its path belongs to the copy of an object that was renamed or deleted in the source'
