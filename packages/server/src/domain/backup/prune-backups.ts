import type { BackupStore } from './backup-store.ts'
import { readFileEntries } from './copy-files.ts'

/**
 * Removes all but the newest backups, and the contents that no remaining backup needs. Throws, without removing
 * contents, when a remaining backup cannot be read. The caller holds the lock of the store.
 */
export async function pruneBackups(
  store: BackupStore,
  keep: number,
): Promise<{ backups: number; contents: number; bytes: number }> {
  const names = await store.listNames()
  const [old, kept] = [names.slice(0, -keep), names.slice(-keep)]
  const needed = new Set<string>()
  for (const name of kept) {
    const manifest = await store.readManifest(name)
    for (const { chunks } of [...manifest.tables, manifest.files]) {
      for (const { sha256 } of chunks) needed.add(`chunks/${sha256}`)
    }
    for await (const { sha256 } of readFileEntries(store, manifest)) needed.add(`files/${sha256}`)
  }
  // First the manifests: a kill in between leaves contents that are not needed, and the next time removes them.
  for (const name of old) await store.removeManifest(name)
  const { count, bytes } = await store.removeContents((kind, sha256) => needed.has(`${kind}/${sha256}`))
  return { backups: old.length, contents: count, bytes }
}
