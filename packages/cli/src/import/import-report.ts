import { plain, safeJson } from '../safe-text.ts'

type Outcome = 'created' | 'updated' | 'unchanged' | 'deleted'

/** Numbers of objects. Only mirrors delete. */
type Counts = Record<Exclude<Outcome, 'deleted'>, number> & { deleted?: number }

/** Something that could not be copied. */
interface NotCopied {
  kind: string
  /** Name or address in the source. */
  name: string
  reason: string
}

/** Counts what an import has done, by kind of object. */
export interface ImportReport {
  count(kind: string, outcome: Outcome): void
  skip(notCopied: NotCopied): void
  /** Adds a remark on something that was copied. */
  note(text: string): void
  readonly isComplete: boolean
  /** Number of objects that could not be copied. */
  readonly skipped: number
  /** Describes the result as lines of text. */
  lines(isDryRun: boolean): string[]
  json(isDryRun: boolean): string
}

export function openReport(): ImportReport {
  const counts = new Map<string, Counts>()
  const skipped = new Map<string, NotCopied>()
  const notes = new Set<string>()
  const countsOf = (kind: string) => {
    const known: Counts = counts.get(kind) ?? { created: 0, updated: 0, unchanged: 0 }
    counts.set(kind, known)
    return known
  }
  return {
    count(kind, outcome) {
      const known = countsOf(kind)
      known[outcome] = (known[outcome] ?? 0) + 1
    },
    skip(notCopied) {
      skipped.set(JSON.stringify([notCopied.kind, notCopied.name, notCopied.reason]), notCopied)
    },
    note(text) {
      notes.add(text)
    },
    get isComplete() {
      return skipped.size === 0
    },
    get skipped() {
      return skipped.size
    },
    lines(isDryRun) {
      const [created, updated] = isDryRun ? ['to create', 'to update'] : ['created', 'updated']
      const done = [...counts].map(
        ([kind, count]) =>
          `${kind}: ${count.created} ${created}, ${count.updated} ${updated}, ${count.unchanged} unchanged${count.deleted ? `, ${count.deleted} deleted` : ''}`,
      )
      const missing = [...skipped.values()].map(
        ({ kind, name, reason }) => `not copied: ${kind} ${plain(name)}: ${plain(reason)}`,
      )
      return [...done, ...[...notes].map((text) => `note: ${plain(text)}`), ...missing]
    },
    json(isDryRun) {
      const copied = Object.fromEntries(counts)
      return safeJson({ dry_run: isDryRun, copied, notes: [...notes], not_copied: [...skipped.values()] })
    },
  }
}
